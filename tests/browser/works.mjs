// Switches, pointer, legend and keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawAll, open, pageOf, waysOf } from "./support.mjs";
import { syntheticRun } from "./synthetic_run.mjs";
import { checkRow, expected, near, numberOf, pointAt, tipRows } from "./values.mjs";

const run = syntheticRun();
const made = pageOf("works", run);

async function choose(page, value) {
  await page.locator(`.switches input[value="${value}"]`).check({ force: true });
}

function tick(page, text) {
  return page.locator(".switches .check", { hasText: text }).locator("input");
}

test("values under the pointer are those of run.json, for every pair of axes", async () => {
  const page = await open(made.url);
  const figure = page.locator("figure").nth(1), dataset = run.datasets[1].name;
  await drawAll(page);
  await figure.scrollIntoViewIfNeeded();
  let compared = 0;
  for (const up of ["suboptimality", "objective", "test_objective", "correlation", "variance_ratio"])
    for (const across of ["cpu_seconds", "wall_seconds", "passes", "iteration"]) {
      await choose(page, up);
      await choose(page, across);
      for (const share of [0.4, 0.93]) {
        await pointAt(page, figure, share);
        const rows = await tipRows(figure);
        assert.ok(rows.length > 1);
        for (const row of rows) {
          checkRow(row, expected(run, dataset, row.name, across, up));
          ++compared;
        }
      }
    }
  assert.ok(compared > 100);
  await page.close();
});

test("each switch changes what is drawn, in every figure, and back", async () => {
  const page = await open(made.url);
  await drawAll(page);
  await page.locator("figure").first().scrollIntoViewIfNeeded();
  const ways = async () => {
    await drawAll(page);
    return JSON.stringify(await Promise.all((await page.locator("figure").all()).map(waysOf)));
  };
  const first = await ways();
  for (const value of ["objective", "test_objective", "correlation", "variance_ratio", "wall_seconds", "passes", "iteration"]) {
    await choose(page, value);
    assert.ok((await ways()) !== first, value);
    await choose(page, ["wall_seconds", "passes", "iteration"].includes(value) ? "cpu_seconds" : "suboptimality");
    assert.ok((await ways()) === first, value);
  }
  for (const text of ["log up", "log across", "graph time"]) {
    await tick(page, text).uncheck();
    assert.ok((await ways()) !== first, text);
    await tick(page, text).check();
    assert.ok((await ways()) === first, text);
  }
  await page.close();
});

test("smooth draws and tells the mean of nine looks", async () => {
  const page = await open(made.url);
  const figure = page.locator("figure").nth(1), dataset = run.datasets[1].name;
  await figure.scrollIntoViewIfNeeded();
  await choose(page, "correlation");
  await choose(page, "iteration");
  const rough = await waysOf(figure);
  await tick(page, "smooth").check();
  assert.notDeepEqual(await waysOf(figure), rough);
  await pointAt(page, figure, 0.6);
  assert.match(await figure.locator(".tip-head").textContent(), /mean of 9 looks/);
  for (const row of await tipRows(figure)) {
    const points = expected(run, dataset, row.name, "iteration", "correlation"), k = points.findIndex((point) => near(point.x, Number(row.x)));
    const around = points.slice(Math.max(0, k - 4), k + 5);
    assert.ok(near(numberOf(row.value), around.reduce((sum, point) => sum + point.middle, 0) / around.length), row.name);
  }
  await tick(page, "smooth").uncheck();
  assert.deepEqual(await waysOf(figure), rough);
  await page.close();
});

test("without graph time the curves start that much earlier", async () => {
  const page = await open(made.url);
  const figure = page.locator("figure").first(), dataset = run.datasets[0].name;
  await figure.scrollIntoViewIfNeeded();
  await tick(page, "graph time").uncheck();
  await tick(page, "log across").uncheck();
  await pointAt(page, figure, 0.6);
  const row = (await tipRows(figure)).find((one) => one.name === "s3gd");
  assert.ok(expected(run, dataset, "s3gd", "cpu_seconds", "suboptimality", false).some((point) => near(point.x, Number(row.x)) && near(numberOf(row.value), point.middle)));
  assert.ok(!expected(run, dataset, "s3gd", "cpu_seconds", "suboptimality", true).some((point) => near(point.x, Number(row.x))));
  await choose(page, "passes");
  assert.ok(await tick(page, "graph time").isDisabled());
  await page.close();
});

test("the target is a line in its own axes, and what is below the floor runs along the bottom", async () => {
  const deep = syntheticRun({ datasets: 1, solvers: 2, failure: false });
  for (const one of deep.runs.filter((row) => row.label !== "sgd")) one.points.correlation = null;
  for (const one of deep.runs.filter((row) => row.label !== "sgd"))
    one.points.objective = one.points.objective.map((value, k) => (k > 40 ? deep.datasets[0].optimum * (1 - 1e-15 * (k % 2)) : value));
  const page = await open(pageOf("deep", deep).url);
  const figure = page.locator("figure").first();
  await drawAll(page);
  const levels = () => figure.locator(".level text").allTextContents();
  assert.deepEqual(await levels(), ["1 % above F*"]);
  const other = Object.entries(await waysOf(figure)).find(([name]) => name !== "sgd")[1];
  assert.equal(other.match(/M/g).length, 1, "no gap where it is at or below F*");
  const texts = await figure.locator(".axes text").allTextContents();
  assert.ok(!texts.some((text) => /10\u207b\u00b9[\u00b9\u00b2\u00b3\u2074-\u2079]/.test(text)), texts.join(" "));
  const faint = () => figure.locator(".legend .outside").count();
  assert.equal(await faint(), 0);
  await choose(page, "test_objective");
  assert.deepEqual(await levels(), []);
  await choose(page, "correlation");
  assert.equal(await faint(), 1, "a name without a curve in these axes is faint");
  await choose(page, "objective");
  assert.deepEqual(await levels(), ["1 % above F*"]);
  await page.close();
});

test("a legend entry isolates its curve in all figures, again restores", async () => {
  const page = await open(made.url);
  await drawAll(page);
  const entry = page.locator("figure").first().locator(".legend button", { hasText: /^svrg$/ });
  const faded = () => page.locator(".curve.faded").count();
  const others = run.datasets.length * (run.protocol.solvers.length - 1);
  await entry.click();
  assert.equal(await faded(), others);
  assert.equal(await entry.getAttribute("aria-pressed"), "true");
  await pointAt(page, page.locator("figure").last(), 0.8);
  assert.deepEqual((await tipRows(page.locator("figure").last())).map((row) => row.name), ["svrg"]);
  await choose(page, "objective");
  assert.equal(await faded(), others, "what is isolated stays so when the axes change");
  await entry.click();
  assert.equal(await faded(), 0);
  await entry.focus();
  await page.keyboard.press("Enter");
  assert.equal(await faded(), others);
  await page.keyboard.press("Enter");
  assert.equal(await faded(), 0);
  await page.close();
});

test("all of it works with the keyboard", async () => {
  const page = await open(made.url);
  await drawAll(page);
  const figure = page.locator("figure").first(), plot = figure.locator(".plot");
  const reached = new Set();
  for (let k = 0; k < 60; ++k) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => {
      const at = document.activeElement;
      return at.className === "plot" ? "plot" : at.closest(".legend") ? "legend" : at.type || at.tagName;
    }));
  }
  for (const what of ["A", "radio", "checkbox", "plot", "legend", "SUMMARY"]) assert.ok(reached.has(what), `${what} of ${[...reached]}`);
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  const at = async () => Number(await figure.locator(".tip b").evaluate((b) => b.textContent.replaceAll(",", "")));
  const first = await at();
  await page.keyboard.press("ArrowRight");
  const second = await at();
  assert.ok(second > first);
  await page.keyboard.press("End");
  assert.ok((await at()) > second);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Home");
  assert.equal(await at(), first);
  assert.equal(await figure.locator(".tip").getAttribute("role"), "status");
  await page.keyboard.press("Escape");
  assert.ok(await figure.locator(".tip").isHidden());
  const before = await waysOf(figure);
  await page.locator(".switches input:checked").first().focus();
  await page.keyboard.press("ArrowRight");
  assert.notDeepEqual(await waysOf(figure), before);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement.nextElementSibling).outlineStyle);
  assert.equal(outline, "solid");
  await page.close();
});

test("what can be worked has a name and a role", async () => {
  const page = await open(made.url);
  await drawAll(page);
  const nameless = await page.evaluate(() => {
    const named = (one) => one.getAttribute("aria-label") || one.textContent.trim() || (one.labels && one.labels.length > 0);
    return [...document.querySelectorAll("a, button, input, summary, [tabindex], form, nav, ul.legend, section")]
      .filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 80));
  });
  assert.deepEqual(nameless, []);
  assert.match(await page.locator(".plot").first().getAttribute("aria-label"), /a9a: suboptimality.* against cpu seconds, 5 curves/);
  assert.equal(await page.locator("h1").count(), 1);
  await page.close();
});
