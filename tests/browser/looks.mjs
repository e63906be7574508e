// Widths, print, darkness, colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawAll, open, pageOf } from "./support.mjs";
import { syntheticRun } from "./synthetic_run.mjs";
import { difference, grey, seenBy } from "./colours.mjs";

const run = syntheticRun({ solvers: 9, gradients: false });
const made = pageOf("looks", run);

for (const width of [360, 768, 1440])
  test(`nothing sticks out at ${width} pixels`, async () => {
    const page = await open(made.url, { width });
    await drawAll(page);
    const figure = page.locator("figure").last();
    for (const share of [0.2, 0.6, 0.95]) {
      const box = await figure.locator(".plot > svg").boundingBox();
      await page.mouse.move(box.x + share * box.width, box.y + 50);
      assert.ok(await figure.locator(".tip").isVisible());
      const out = await page.evaluate(() => {
        const room = document.documentElement.clientWidth;
        const found = [...document.querySelectorAll("body *")].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width > 0 && !one.closest(".wide, .skip") && (box.right > room + 0.5 || box.left < -0.5);
        }).map((one) => one.outerHTML.slice(0, 100));
        return { found, scroll: document.documentElement.scrollWidth, room };
      });
      assert.deepEqual(out.found, []);
      assert.ok(out.scroll <= out.room, `${out.scroll} > ${out.room}`);
    }
    await page.close();
  });

test("printed, every figure is there, drawn in light colours, and nothing to click", async () => {
  const page = await open(made.url, { colorScheme: "dark", height: 300 });
  assert.equal(await page.locator("figure").last().locator(".curve").count(), 0);
  await page.emulateMedia({ media: "print" });
  await page.locator("figure").last().locator(".curve").first().waitFor({ state: "attached" });
  for (const figure of await page.locator("figure").all()) assert.equal(await figure.locator(".curve").count(), 9);
  assert.ok(await page.locator(".switches").isHidden());
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(29, 28, 26)");
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(255, 255, 255)");
  assert.ok(await page.evaluate(() => [...document.querySelectorAll("details")].every((one) => one.open)));
  await page.close();
});

test("a PDF made without scrolling has the curves of every figure", async () => {
  const page = await open(made.url, { height: 300 });
  await page.pdf({ format: "A4" });
  for (const figure of await page.locator("figure").all()) assert.equal(await figure.locator(".curve").count(), 9);
  await page.close();
});

test("the page follows the reader's dark setting", async () => {
  const brightness = async (colorScheme) => {
    const page = await open(made.url, { colorScheme });
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.close();
    return grey(paper.match(/\d+/g).map(Number));
  };
  assert.ok((await brightness("light")) > 0.9);
  assert.ok((await brightness("dark")) < 0.15);
});

async function curveColours(colorScheme) {
  const page = await open(made.url, { colorScheme });
  const colours = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    return { curves: [...Array(9).keys()].map((k) => read(`--c${k}`)), card: read("--card") };
  });
  await page.close();
  const parse = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return { curves: colours.curves.map(parse), card: parse(colours.card) };
}

test("curves can be told apart by the colour-blind, and stand out from the paper", async () => {
  for (const scheme of ["light", "dark"]) {
    const { curves, card } = await curveColours(scheme);
    for (const eyes of ["all", "protan", "deutan", "tritan"])
      curves.forEach((a, k) => {
        assert.ok(difference(seenBy(eyes, a), seenBy(eyes, card)) > 25, `${scheme} ${eyes} ${k} on paper`);
        curves.slice(0, k).forEach((b, j) =>
          assert.ok(difference(seenBy(eyes, a), seenBy(eyes, b)) > 12, `${scheme} ${eyes}: ${j} and ${k}: ${difference(seenBy(eyes, a), seenBy(eyes, b)).toFixed(1)}`));
      });
  }
});

test("without colour, dashes and markers tell the curves apart", async () => {
  const page = await open(made.url);
  await drawAll(page);
  const shapes = await page.locator("figure").first().locator(".legend button").evaluateAll((buttons) =>
    buttons.map((button) => button.querySelector(".marker").getAttribute("d") + "|" + button.querySelector(".line").getAttribute("stroke-dasharray")));
  assert.equal(new Set(shapes).size, 9);
  const drawn = await page.locator("figure").first().locator(".curve").evaluateAll((curves) => curves.map((curve) => curve.querySelectorAll(".marker").length));
  for (const count of drawn) assert.ok(count >= 1);
  await page.close();
});
