// How large the page of 9 datasets x 9 solvers x 5 trials is, and how long chromium takes to open it, to the first figures drawn.
//     S3GD_PROGRAM=build/release/s3gd node bench/page/open.mjs
// The bars: below 5 MB, below 2 seconds. Times are of this machine as it is: quiet it first.
import { BIG, syntheticRun } from "../../tests/browser/synthetic_run.mjs";
import { browser, open, pageOf } from "../../tests/browser/support.mjs";

const made = pageOf("big", syntheticRun(BIG));
const times = [];
for (let k = 0; k < 5; ++k) {
  const page = await open("about:blank");
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const started = performance.now();
  await page.goto(made.url);
  await page.evaluate(() => document.querySelector("figure").scrollIntoView());
  await page.locator("figure .curve").first().waitFor({ state: "attached" });
  const drawn = performance.now() - started;
  const loaded = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  const { metrics } = await session.send("Performance.getMetrics");
  const busy = 1000 * metrics.find((one) => one.name === "TaskDuration").value;
  times.push({ loaded, drawn, busy });
  await page.close();
}
const middle = (key) => times.map((one) => one[key]).sort((a, b) => a - b)[2];
console.log(`${(made.bytes / 1e6).toFixed(2)} MB; loaded after ${middle("loaded").toFixed(0)} ms, figures drawn after ${middle("drawn").toFixed(0)} ms, of which the page computed for ${middle("busy").toFixed(0)} ms (medians of 5)`);
await browser.close();
