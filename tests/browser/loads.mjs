// The page loads, draws, and says everything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawAll, file, open, pageOf, program, waysOf } from "./support.mjs";
import { BIG, syntheticRun } from "./synthetic_run.mjs";
import { checkRow, expected, numberOf, pointAt, tipRows } from "./values.mjs";

const run = syntheticRun();
const made = pageOf("loads", run);

test("the page loads without a complaint and every figure draws every curve", async () => {
  const page = await open(made.url);
  await drawAll(page);
  assert.equal(await page.locator("figure").count(), run.datasets.length);
  for (const figure of await page.locator("figure").all()) {
    const ways = await waysOf(figure);
    assert.deepEqual(Object.keys(ways).sort(), run.protocol.solvers.slice().sort());
    for (const way of Object.values(ways)) assert.match(way, /^M[\d.]+ [\d.]+(L[\d.-]+ [\d.-]+){5,}/);
    assert.ok((await figure.locator(".band").count()) > 0);
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("figures are drawn when they come into view, not before", async () => {
  const page = await open(made.url, { height: 300 });
  assert.equal(await page.locator("figure").last().locator(".curve").count(), 0);
  await drawAll(page);
  assert.ok((await page.locator("figure").last().locator(".curve").count()) > 0);
  await page.close();
});

test("the summary has the numbers of the verdicts, before the curves", async () => {
  const page = await open(made.url);
  const tables = await page.locator("section").first().locator("table").evaluateAll((all) =>
    all.map((table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))));
  const digits = (value) => Number(value.toPrecision(3));
  const seconds = (text) => parseFloat(text) * (text.endsWith("ms") ? 1e-3 : text.endsWith("\u00b5s") ? 1e-6 : 1);
  for (const [k, withGraph] of [[0, true], [1, false]])
    run.verdicts.filter((verdict) => verdict.with_graph === withGraph).forEach((verdict, r) => {
      const [dataset, winner, time, overSgd, , overSecond] = tables[k][r];
      assert.equal(dataset, verdict.dataset);
      assert.equal(winner, verdict.winner);
      assert.equal(digits(seconds(time)), digits(verdict.order[0].median_seconds));
      if (winner === "sgd") assert.equal(overSgd, "is SGD");
      else assert.equal(parseFloat(overSgd), digits(verdict.speedup_over_sgd));
      assert.equal(parseFloat(overSecond), digits(verdict.speedup_over_runner_up));
    });
  assert.equal(await page.locator("section").first().locator("figure").count(), 0);
  await page.close();
});

test("why: iterations to the target and what one costs, as run.json has them, the fastest first", async () => {
  const page = await open(made.url);
  const rows = await page.locator("section", { has: page.locator("h2", { hasText: /^Why$/ }) }).locator("table tbody tr")
    .evaluateAll((all) => {
      let dataset = "";
      return all.map((row) => {
        const cells = [...row.cells].map((cell) => cell.textContent);
        if (row.cells[0].tagName === "TH") dataset = cells.shift();
        return [dataset, ...cells];
      });
    });
  const median = (values) => values.sort((a, b) => a - b)[(values.length - 1) / 2];
  const digits = (value) => Number(value.toPrecision(3));
  const seconds = (text) => digits(parseFloat(text) * (text.endsWith("ms") ? 1e-3 : text.endsWith("\u00b5s") ? 1e-6 : 1));
  assert.equal(rows.length, run.datasets.length * run.protocol.solvers.length);
  let reached = 0;
  for (const verdict of run.verdicts.filter((one) => one.with_graph)) {
    const mine = rows.filter((row) => row[0] === verdict.dataset), about = run.datasets.find((one) => one.name === verdict.dataset);
    assert.deepEqual(mine.map((row) => row[1]), verdict.order.map((place) => place.label));
    mine.forEach(([, label, , iterations, each, before, to], k) => {
      const trials = run.runs.filter((one) => one.dataset === verdict.dataset && one.label === label && one.step === 1);
      const first = trials.map((one) => {
        const at = one.points.objective.findIndex((value) => value <= 1.01 * about.optimum);
        return at < 0 ? Infinity : one.points.iteration[at];
      });
      const cost = trials.reduce((sum, one) => sum + (one.cpu_seconds - one.graph_cpu_seconds) / one.iterations, 0) / trials.length;
      assert.equal(seconds(each), digits(cost));
      if (trials[0].graph_cpu_seconds > 0) assert.equal(seconds(before), digits(trials[0].graph_cpu_seconds));
      if (median(first) === Infinity) return assert.equal(iterations, "\u2014");
      ++reached;
      assert.equal(numberOf(iterations), median(first));
      assert.equal(seconds(to), digits(verdict.order[k].median_seconds));
    });
  }
  assert.ok(reached > 5);
  await page.close();
});

test("runs that failed or diverged are there with their status and error", async () => {
  const both = syntheticRun({ steps: [1, 10], solvers: 4 });
  const page = await open(pageOf("failures", both).url);
  const bad = both.runs.filter((one) => ["failed", "diverged"].includes(one.status));
  assert.ok(bad.some((one) => one.status === "failed") && bad.some((one) => one.status === "diverged"));
  const text = await page.locator("main").evaluate((main) => main.textContent);
  assert.ok(text.includes(`Runs that diverged or failed: ${bad.length}`));
  assert.ok(text.includes("the disk was full </script><b>&"));
  const steps = page.locator("section", { hasText: "Steps by dataset" }).locator("table").first();
  const cells = await steps.locator(".poor").allTextContents();
  assert.ok(cells.some((cell) => cell.includes("diverged")) && cells.some((cell) => cell.includes("1 of 3 failed")), cells.join("|"));
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("names from data are text, whatever they hold", async () => {
  const nasty = `</script><img src=x onerror="window.broken=1"> & 'a' "b"`;
  const wild = syntheticRun({ datasets: 1, names: [nasty] });
  wild.title = nasty;
  wild.machine.cpu = nasty;
  const page = await open(pageOf("nasty", wild).url);
  await drawAll(page);
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("h1").textContent(), nasty);
  assert.equal(await page.locator("figcaption h3").textContent(), nasty);
  assert.equal(await page.title(), nasty);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("nine datasets, nine solvers, five trials: below 5 MB, and all of it draws", async () => {
  const big = pageOf("big", syntheticRun(BIG));
  assert.ok(big.bytes < 5e6, `${big.bytes} bytes`);
  const page = await open(big.url);
  await drawAll(page);
  for (const figure of await page.locator("figure").all()) assert.equal(await figure.locator(".curve").count(), 9);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

const DATA = "gen:manifold?rows=300&cols=6";

test("a comparison's own page has the numbers of its run.json", async () => {
  program("compare", DATA, "-o", "results", "--iterations", "400", "--trials", "2", "--steps", "0.5,2", "--solvers", "sgd,svrg,s3gd",
    "--anchors", "10", "--scale", "unit-rows");
  const real = JSON.parse(file("results/run.json").text());
  const page = await open(file("results/report.html").url);
  await drawAll(page);
  const figure = page.locator("figure");
  assert.deepEqual(Object.keys(await waysOf(figure)).sort(), ["s3gd", "sgd", "svrg"]);
  let compared = 0;
  for (const share of [0.3, 0.6, 0.95]) {
    await pointAt(page, figure, share);
    for (const row of await tipRows(figure)) {
      checkRow(row, expected(real, real.datasets[0].name, row.name, "cpu_seconds", "suboptimality"));
      ++compared;
    }
  }
  assert.ok(compared >= 6);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

for (const [name, figures, ...words] of [
  ["path", 3, "path", DATA, "--penalty", "l1", "--lambdas", "8"],
  ["cv", 4, "cv", DATA, "--penalty", "l1", "--lambdas", "8"],
  ["train", 1, "train", DATA, "--solver", "s3gd", "--passes", "3", "--validate", "0.2", "--tol", "0.5"],
])
  test(`the page of ${name} loads and draws`, async () => {
    program(...words, "--report", `${name}.html`);
    const page = await open(file(`${name}.html`).url);
    await drawAll(page);
    assert.equal(await page.locator("figure").count(), figures);
    for (const figure of await page.locator("figure").all())
      for (const way of Object.values(await waysOf(figure))) assert.match(way, /^M[\d.]+ [\d.]+L/);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });
