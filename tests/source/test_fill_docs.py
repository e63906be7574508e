"""experiments/fill_docs.py: the page says what the runs found, and nothing is set by hand."""
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "experiments"))
import fill_docs  # noqa: E402

NEW = """`s3gd reproduce variance steps`, version 0.2.0, 2027-01-02, a processor with 4 cores.

| figure | the paper | found | in short |
|---|---|---|---|
| `steps` | SVRG and S3GD stay stable at large steps; the rest. | **confirmed** | new steps |
| `variance` | Question: does it fall? | **confirmed** | on 4 of 4 sets |

Not all was run:

- `variance`: 12 of 60 runs: 1 of 3 trials on IJCNN

The numbers behind it:

- `variance` (beyond the paper). *Question: does it fall?* on 4 of 4 sets. IJCNN: m = 1: 0.1.

Sets that are not exactly the paper's:

- Covtype: another sample

Left out:

- variance: ended after 60 s: 1 run of m = 400 on MED11
"""


class FillDocs(unittest.TestCase):
    def setUp(self):
        self.page = Path(tempfile.mkstemp(suffix=".md")[1])
        self.page.write_text(fill_docs.PAGE.read_text())
        self.addCleanup(self.page.unlink)

    def fill(self, what, given=""):
        with mock.patch("sys.stdin", io.StringIO(given)):
            fill_docs.main(what, self.page)
        return self.page.read_text()

    def findings(self):
        return fill_docs.Findings(fill_docs.block(self.page.read_text(), "findings")[1])

    def test_the_claims_of_the_page_are_what_its_findings_say(self):
        self.fill("check")

    def test_a_claim_set_by_hand_is_found(self):
        before, claims, after = fill_docs.block(self.page.read_text(), "claims")
        self.assertIn("**not confirmed**", claims)
        self.page.write_text(before + claims.replace("**not confirmed**", "**confirmed**", 1) + after)
        with self.assertRaisesRegex(SystemExit, "not what the findings say"):
            self.fill("check")

    def test_findings_are_taken_apart_and_put_together_without_loss(self):
        text = self.page.read_text()
        for kind in ("findings", "quick findings"):
            inside = fill_docs.block(text, kind)[1]
            self.assertEqual(fill_docs.Findings(inside).text(), inside)

    def test_figures_of_another_run_take_the_place_of_theirs_and_the_others_stay(self):
        old = self.findings()
        text = self.fill("add", NEW)
        new = self.findings()
        self.assertEqual(new.figures(), old.figures())
        kept = lambda rows: [row for row in rows if row[0] not in ("steps", "variance")]
        self.assertEqual(kept(new.rows), kept(old.rows))
        self.assertEqual([row for row in new.rows if row[0] in ("steps", "variance")], fill_docs.Findings(NEW).rows)
        self.assertEqual(new.origin[0], old.origin[0])
        self.assertEqual(new.origin[-1], "`s3gd reproduce variance steps`, version 0.2.0, 2027-01-02, a processor with 4 cores: "
                                         "`steps`, `variance`.")
        lacking, numbers, sets, left = (new.lists[heading] for heading in fill_docs.LISTS)
        self.assertIn("`variance`: 12 of 60 runs: 1 of 3 trials on IJCNN", lacking)
        self.assertFalse([line for line in lacking + numbers if line.startswith("`steps`")])
        self.assertEqual(len([line for line in numbers if line.startswith("`variance`")]), 1)
        self.assertEqual([line for line in sets if line.startswith("Covtype")], ["Covtype: another sample"])
        self.assertTrue(any(line.startswith("variance: ended") for line in left))
        self.assertIn("| **confirmed** | new steps |", fill_docs.block(text, "claims")[1])
        self.assertEqual(self.fill("add", NEW), text)  # the same again changes nothing

    def test_of_figures_that_lack_the_same_runs_one_can_go(self):
        cut = lambda line: fill_docs.without(line, {"testing"})
        self.assertEqual(cut("`training`, `testing`: 7 of 8 runs: a"), "`training`: 7 of 8 runs: a")
        self.assertEqual(cut("`testing`: 7 of 8 runs: a"), "")
        self.assertEqual(cut("`testing` (Figure 5). *It falls.* so"), "")
        self.assertEqual(cut("`s3gd reproduce`, version 0.1.0, a: `testing`, `steps`."), "`s3gd reproduce`, version 0.1.0, a: `steps`.")
        self.assertEqual(cut("`s3gd reproduce`, version 0.1.0, a."), "`s3gd reproduce`, version 0.1.0, a.")

    def test_what_the_full_protocol_lacks_is_told_from_the_quick_run(self):
        text = self.page.read_text()
        full, quick = (fill_docs.Findings(fill_docs.block(text, kind)[1]) for kind in ("findings", "quick findings"))
        full.rows = [(name, line if name != "anchors-time" else line.replace("**confirmed**", "**not measured**"))
                     for name, line in full.rows]
        self.assertIn("**confirmed** (quick run) | 50 iterations: MED11", fill_docs.main_claims(full, quick))

    def test_what_is_no_table_is_refused(self):
        before = self.page.read_text()
        for what in ("", "add", "quick"):
            with self.assertRaisesRegex(SystemExit, "no table"):
                self.fill(what, "nothing")
        self.assertEqual(self.page.read_text(), before)


if __name__ == "__main__":
    unittest.main()
