#!/usr/bin/env python3
"""The rules of bench/peers on made-up numbers: when a time counts, when a ladder ends, how medians and ratios are read."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "peers"))

import table  # noqa: E402
from stay_below import climb, label, median, median_times, stay_below, worth_repeating  # noqa: E402


class StayBelow(unittest.TestCase):
    def test_a_dip_that_rises_again_does_not_count(self):
        points = [(1.0, 0.5), (2.0, 0.001), (3.0, 0.2), (4.0, 0.005), (5.0, 0.001)]
        self.assertEqual(stay_below(points, 0.01), 4.0)

    def test_the_last_point_above_the_target_means_never(self):
        self.assertEqual(stay_below([(1.0, 0.001), (2.0, 0.1)], 0.01), math.inf)

    def test_no_point_or_no_number_means_never(self):
        self.assertEqual(stay_below([], 0.01), math.inf)
        self.assertEqual(stay_below([(1.0, math.nan)], 0.01), math.inf)

    def test_a_larger_effort_that_was_faster_counts_with_its_time(self):
        self.assertEqual(stay_below([(1.0, 0.5), (3.0, 0.001), (2.0, 0.0005)], 0.01), 2.0)

    def test_errors_below_zero_by_rounding_are_below_every_target(self):
        self.assertEqual(stay_below([(1.0, -1e-16)], 1e-9), 1.0)


class Medians(unittest.TestCase):
    def test_of_odd_and_even_counts(self):
        self.assertEqual(median([5.0, 1.0, 3.0]), 3.0)
        self.assertEqual(median([1.0, 3.0]), 2.0)

    def test_a_run_that_never_arrives_counts_as_infinitely_slow(self):
        self.assertEqual(median([1.0, math.inf, 2.0]), 2.0)
        self.assertEqual(median([1.0, math.inf, math.inf]), math.inf)

    def test_each_accuracy_has_its_own(self):
        runs = [[(1.0, 0.005), (2.0, 0.0005)], [(3.0, 0.005), (4.0, 0.0005)], [(5.0, 0.0005)]]
        times = median_times(runs, (1e-2, 1e-3))
        self.assertEqual(times, {"1e-2": 3.0, "1e-3": 4.0})

    def test_accuracies_are_written_as_in_the_tables(self):
        self.assertEqual(label(1e-2), "1e-2")
        self.assertEqual(label(1e-9), "1e-9")


class Ladder(unittest.TestCase):
    def test_ends_at_the_first_effort_that_is_good_enough(self):
        tried = []

        def run(effort):
            tried.append(effort)
            return float(effort), 10.0 ** -effort

        points = climb(range(1, 20), run, enough=1e-9)
        self.assertEqual(tried, list(range(1, 10)))
        self.assertEqual(len(points), 9)

    def test_ends_after_the_first_effort_beyond_the_budget(self):
        points = climb([1, 2, 3, 4, 5], lambda e: (float(e), 1.0 / e), budget=2.5)
        self.assertEqual([seconds for seconds, _ in points], [1.0, 2.0, 3.0])

    def test_ends_when_nothing_is_gained_any_more(self):
        points = climb(range(1, 100), lambda e: (float(e), max(1e-5, 10.0 ** -e)))
        self.assertLess(len(points), 30)
        self.assertEqual(points[-1][1], 1e-5)

    def test_a_plateau_shorter_than_that_is_climbed_over(self):
        errors = {1: 0.1, 2: 0.1, 3: 0.1, 4: 0.1, 5: 1e-10}
        self.assertEqual(climb(range(1, 6), lambda e: (1.0, errors[e]))[-1][1], 1e-10)

    def test_a_rival_far_behind_everywhere_is_not_repeated(self):
        best = {"1e-2": 1.0, "1e-3": 2.0}
        self.assertFalse(worth_repeating({"1e-2": 2.6, "1e-3": 6.0}, best))
        self.assertTrue(worth_repeating({"1e-2": 2.6, "1e-3": 4.0}, best))
        self.assertFalse(worth_repeating({"1e-2": math.inf, "1e-3": math.inf}, best))


def lines(kind, name, points, **more):
    return {"kind": kind, "contest": "set logistic l2 1e-3 t1", "name": name, "seed": 0, "points": points, **more}


class Tables(unittest.TestCase):
    def contest(self):
        return table.collect([
            lines("us", "auto", [(0.5, 1e-10)]),
            lines("rival", "quick", [(2.0, 1e-3)], layout="c32", conversion=0.0),
            lines("rival", "own-format", [(3.0, 1e-10)], layout="c32", conversion=2.0),
        ], {})

    def rows(self):
        return {row["accuracy"]: row for row in table.rows_of(self.contest())}

    def test_the_ratio_is_best_rival_over_us(self):
        self.assertEqual((self.rows()["1e-2"]["name"], self.rows()["1e-2"]["ratio"]), ("quick", 4.0))
        self.assertEqual((self.rows()["1e-9"]["name"], self.rows()["1e-9"]["ratio"]), ("own-format", 6.0))

    def test_conversion_is_counted_and_shown_apart(self):
        self.assertEqual((self.rows()["1e-2"]["strict_name"], self.rows()["1e-2"]["strict"]), ("own-format", 2.0))

    def test_a_new_run_replaces_ours_and_keeps_the_rivals(self):
        contests = table.collect([lines("us", "auto", [(0.25, 1e-10)])], self.contest())
        row = next(table.rows_of(contests))
        self.assertEqual((row["ours"], row["rival"]), (0.25, 2.0))

    def test_a_solver_with_several_steps_counts_with_the_best_at_each_accuracy(self):
        contest = table.collect([lines("us", "sgd step 1", [(1.0, 5e-3), (9.0, 5e-4)]),
                                 lines("us", "sgd step 2", [(2.0, 5e-4)])], self.contest())["set logistic l2 1e-3 t1"]
        times = table.other_solvers(contest, "auto")["sgd, best step"]
        self.assertEqual((times["1e-2"], times["1e-3"], times["1e-4"]), (1.0, 2.0, math.inf))

    def test_never_arriving_loses_and_arriving_alone_wins(self):
        self.assertEqual(table.ratio(1.0, math.inf), 0.0)
        self.assertEqual(table.ratio(math.inf, 1.0), math.inf)
        self.assertTrue(math.isnan(table.ratio(math.inf, math.inf)))

    def test_text_and_markdown_hold_the_winner(self):
        self.assertIn("own-format", table.text(self.contest()))
        self.assertIn("**4.00**", table.markdown(self.contest()))


if __name__ == "__main__":
    unittest.main()
