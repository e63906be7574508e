// The browser, the program under test, and pages made by it. Without a browser or its driver the tests are skipped: exit code 77.
import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

function findChromium() {
  for (const folder of (process.env.PATH || "").split(":"))
    for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
      const file = path.join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // the next one
      }
    }
  return skip("there is no chromium (tools/setup test installs it)");
}

function loadDriver() {
  try {
    return createRequire(path.join(root, "build/tests/browser/"))("playwright-core");
  } catch {
    return skip("there is no playwright-core (tools/setup test installs it)");
  }
}

const executablePath = findChromium();
const { chromium } = loadDriver();
const folder = mkdtempSync(path.join(tmpdir(), "s3gd_browser_"));
export const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

export function program(...words) {
  return execFileSync(process.env.S3GD_PROGRAM, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

// The page of a run, made by the program.
export function pageOf(name, run) {
  writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(run));
  program("report", `${name}.json`, "-o", `${name}.html`);
  return file(`${name}.html`);
}

export function file(name) {
  const full = path.join(folder, name);
  return { url: pathToFileURL(full).href, bytes: statSync(full).size, text: () => readFileSync(full, "utf8") };
}

// A page with nothing to complain about: every console error, exception and request is in `complaints`.
export async function open(url, { width = 1200, height = 900, colorScheme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => {
    if (request.url() !== url) page.complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

// Brings every figure into view, one after the other, and waits until it is drawn.
export async function drawAll(page) {
  for (const figure of await page.locator("figure").all()) {
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".plot > svg .axes, .plot > svg > text").first().waitFor({ state: "attached" });
  }
}

// The ways of a figure's curves by name.
export function waysOf(figure) {
  return figure.locator(".curve").evaluateAll((curves) =>
    Object.fromEntries(curves.map((curve) => [curve.dataset.name, curve.querySelector(".line").getAttribute("d")])));
}
