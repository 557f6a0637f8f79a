// Drives a browser through a page, for test_page.py: node drive.mjs MODULES BROWSER STEPS, where
// STEPS is a JSON file {"page": FILE, "options": {...}, "steps": [[WORD, ARGUMENT ...], ...]}. Prints
// {"results": [...], "errors": [...], "requests": [...]}: the result of each step, errors from the
// browser, and its network requests.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(modules), "x.js"))("playwright-core");
const { page: path, options = {}, steps } = JSON.parse(readFileSync(file, "utf8"));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({
  viewport: { width: 1400, height: 900 }, acceptDownloads: true, reducedMotion: "reduce", ...options.context,
});
const page = await context.newPage();
if (options.without) await page.addInitScript((names) => names.forEach((name) => {
  const parts = name.split(".");
  const last = parts.pop();
  delete parts.reduce((object, part) => object[part], globalThis)[last];
}), options.without);
const errors = [];
const requests = [];
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
page.on("pageerror", (error) => errors.push(String(error)));
page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || requests.push(request.url()));
const address = pathToFileURL(resolve(path)).href;

const table = (id) =>
  page.$eval(`[data-table="${id}"]`, (element) => {
    const texts = (row, cell) => [...row.querySelectorAll(`[role="${cell}"]`)].map((one) => one.textContent.trim());
    return {
      head: texts(element, "columnheader"),
      rows: [...element.querySelectorAll('[role="row"][aria-selected]')].map((row) => texts(row, "gridcell")),
      count: Number(element.getAttribute("aria-rowcount")) - 1,
    };
  });
const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const at = async (selector, x, y) => {
  const box = await page.locator(selector).boundingBox();
  return [box.x + x * box.width, box.y + (y < 1 ? y * box.height : y)];
};
const words = {
  open: async (hash) => {
    await page.goto("about:blank");
    await page.goto(`${address}${hash}`);
    await page.waitForSelector("[data-view], [role=alert]", { timeout: 60000 });
  },
  hash: () => page.evaluate(() => location.hash),
  click: (selector) => page.click(selector),
  click_at: async (selector, x, y) => page.mouse.click(...(await at(selector, x, y))),
  move_to: async (selector, x, y) => page.mouse.move(...(await at(selector, x, y))),
  // From (x, y) to (x2, y2), with a key held: "Shift", or "" for none.
  drag: async (selector, x, y, x2, y2, key) => {
    if (key) await page.keyboard.down(key);
    await page.mouse.move(...(await at(selector, x, y)));
    await page.mouse.down();
    await page.mouse.move(...(await at(selector, (x + x2) / 2, y2)));
    await page.mouse.move(...(await at(selector, x2, y2)));
    await page.mouse.up();
    if (key) await page.keyboard.up(key);
  },
  double_click: (selector) => page.dblclick(selector),
  fill: (selector, text) => page.fill(selector, text),
  choose: (selector, value) => page.selectOption(selector, value),
  press: (selector, key) => page.press(selector, key),
  text: (selector) => page.textContent(selector),
  texts: (selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent)),
  evaluate: (expression) => page.evaluate(expression),
  table,
  media: (media) => page.emulateMedia(media),
  size: (width, height) => page.setViewportSize({ width, height }),
  shot: async (name) => void (await page.screenshot({ path: name })),
  shot_all: async (name) => void (await page.screenshot({ path: name, fullPage: true })), // includes what is below the window
  saved: async (selector) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return readFileSync(await download.path(), "utf8");
  },
};

const results = [];
try {
  for (const [word, ...rest] of steps) {
    results.push((await words[word](...rest)) ?? null);
    await settle();
  }
} catch (error) {
  errors.push(`step ${results.length} (${JSON.stringify(steps[results.length])}): ${error}`);
}
await browser.close();
console.log(JSON.stringify({ results, errors, requests }));
