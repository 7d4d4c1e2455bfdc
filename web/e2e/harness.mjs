// What every spec stands on: the built page on a server of its own, in a Chromium of its own.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";
import { serve } from "./server.mjs";

export { serve } from "./server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../..");
export const dist = resolve(root, env.DIST ?? "dist");
export const out = join(here, "out");

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The three sizes that the page is made for. */
export const sizes = {
  desktop: { width: 1440, height: 900 },
  projector: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
};

/** Builds a Go program, or with test the tests of a package, for js/wasm; returns its bytes. */
export function buildGo(pkg, { test = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "reconcile-wasm-"));
  try {
    const file = join(dir, "out.wasm");
    const command = test ? ["test", "-c"] : ["build"];
    execFileSync("go", [...command, "-o", file, pkg], { cwd: root, env: { ...env, GOOS: "js", GOARCH: "wasm" }, stdio: ["ignore", "ignore", "inherit"] });
    return readFileSync(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Starts a Chromium; its options are those of launchOptions. */
export function launch(options) {
  return chromium.launch(launchOptions(options));
}

/**
 * A server over dist, a browser and a first page for one spec:
 *
 *   const { site, browser, page } = await start(t);
 *
 * All of it ends with the test t, which fails then if the page reported a problem that the spec did not
 * take out of page.problems. Options: those of serve and of openPage; ready: false does not wait for it.
 */
export async function start(t, options = {}) {
  const site = await serve(options.dir ?? dist, options);
  const browser = await launch();
  t.after(async () => {
    await browser.close();
    await site.close();
  });
  const page = await openPage(browser, site.url + (options.path ?? ""), options);
  t.after(() => {
    if (page.problems.length > 0) throw new Error(`The page reported problems:\n${page.problems.join("\n")}`);
  });
  return { site, browser, page, context: page.context() };
}

/**
 * Opens url in a new context and waits until the page is ready. Whatever the console calls an error, an
 * uncaught exception, a refused policy, and each request to another origin go to page.problems.
 */
export async function openPage(browser, url, { size = "desktop", colorScheme = "light", ready = true, context, ...rest } = {}) {
  const options = { viewport: sizes[size], colorScheme, reducedMotion: "reduce", acceptDownloads: true, ...rest.contextOptions };
  context ??= await browser.newContext(options);
  // The machine may be slow: only what never comes fails.
  context.setDefaultTimeout(60000);
  const page = await context.newPage();
  watchProblems(page, new URL(url).origin);
  if (rest.init) await page.addInitScript(rest.init);
  await page.goto(url);
  if (ready) await whenReady(page);
  return page;
}

function watchProblems(page, origin) {
  page.problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (err) => page.problems.push(`exception: ${err.stack ?? err.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:") && !url.startsWith("blob:")) page.problems.push(`outside request: ${url}`);
  });
}

/** Waits until the page says that it is ready. */
export function whenReady(page) {
  return page.waitForSelector("html[data-ready]", { state: "attached" });
}

/** The engine's worker; undefined where it does not run. */
export function engine(page) {
  return page.workers().find((worker) => worker.url().includes("worker.js"));
}

/** The element with that data-testid. */
export function testid(page, id) {
  return page.locator(`[data-testid="${id}"]`);
}

/** The row of an object, such as row(page, "WebApp/default/plain"). */
export function row(page, key) {
  return page.locator(`[data-testid="object-row"][data-key="${key}"]`);
}

/** The value that a row shows in one of its fields. */
export function field(page, key, name) {
  return row(page, key).locator(`[data-field="${name}"]`).getAttribute("data-value");
}

/** window.reconcile.state(). */
export function state(page) {
  return page.evaluate(() => window.reconcile.state());
}

/**
 * Asks again and again until the answer is one; fails after a minute with what did not happen. Between two questions
 * it leaves the page time to work: an answer may be the whole cluster. (Playwright's waitForFunction takes the promise
 * of an answer for the answer: nothing here uses it.)
 */
export async function until(what, ask) {
  for (const end = Date.now() + 60000; ;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`did not happen within a minute: ${what}`);
    await sleep(30);
  }
}

/** Waits until a condition on window.reconcile.state() holds, and returns the state that it holds for. */
export function stateWhere(page, condition) {
  return until(`state where ${condition}`, async () => {
    const s = await state(page);
    return condition(s) && s;
  });
}

/** What axe finds on the page, one line each; with colours alone only what another theme changes. */
export async function axe(page, { colours = false } = {}) {
  // addScriptTag would meet the page's policy; evaluate does not.
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axeSource);
  const result = await page.evaluate((runOnly) => globalThis.axe.run(document, { resultTypes: ["violations"], preload: false, ...runOnly }),
    colours && { runOnly: ["color-contrast", "link-in-text-block"] });
  return result.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}

/** Takes a picture of the page as it is into web/e2e/out/NAME.png. */
export async function picture(page, name) {
  mkdirSync(out, { recursive: true });
  const path = join(out, `${name}.png`);
  await page.screenshot({ path });
  return path;
}

/**
 * Takes pictures of one moment at the three sizes in light and dark: NAME-desktop-light.png and so on.
 * arrange(page) brings each new page to that moment.
 */
export async function pictures(browser, url, name, arrange = async () => {}) {
  for (const size of Object.keys(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await openPage(browser, url, { size, colorScheme });
      await arrange(page);
      await picture(page, `${name}-${size}-${colorScheme}`);
      await page.context().close();
    }
  }
}
