// What a page should say of a run, worked out from run.json alone, and what it does say.
import assert from "node:assert/strict";

export const near = (a, b) => Math.abs(a - b) <= 2e-5 * Math.abs(b) + 1e-12;
export const numberOf = (text) => Number(text.replaceAll(",", ""));

// At each look the mean, the lowest and the highest of the trials at the step chosen.
export function expected(run, dataset, label, across, up, graph = true) {
  const step = run.chosen.find((one) => one.dataset === dataset && one.label === label).step;
  const trials = run.runs.filter((one) => one.dataset === dataset && one.label === label && one.step === step);
  const about = run.datasets.find((one) => one.name === dataset);
  const value = up === "suboptimality" ? (one, k) => one.points.objective[k] / about.optimum - 1 : (one, k) => one.points[up][k];
  const off = (one) => (graph ? 0 : { cpu_seconds: one.graph_cpu_seconds, wall_seconds: one.graph_seconds }[across] || 0);
  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  return trials[0].points.iteration.map((_, k) => {
    const values = trials.map((one) => value(one, k));
    return { x: mean(trials.map((one) => one.points[across][k] - off(one))), middle: mean(values), low: Math.min(...values), high: Math.max(...values) };
  });
}

export async function pointAt(page, figure, share) {
  const box = await figure.locator(".plot > svg").boundingBox();
  await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
}

// The values beside the cursor.
export async function tipRows(figure) {
  return figure.locator(".tip tr").evaluateAll((rows) =>
    rows.map((row) => ({ name: row.dataset.name, x: row.dataset.x, value: row.cells[1].textContent, band: row.cells[2].textContent })));
}

export function checkRow(row, points) {
  const [low, high] = row.band ? row.band.split(" \u2013 ").map(numberOf) : [numberOf(row.value), numberOf(row.value)];
  const right = (point) => near(point.x, Number(row.x)) && near(numberOf(row.value), point.middle) && near(low, point.low) && near(high, point.high);
  assert.ok(points.some(right), JSON.stringify(row));
}
