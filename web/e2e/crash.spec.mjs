// Whatever crashes, the page says what happened and how to go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, buildGo, engine, start, state, testid, until, whenReady } from "./harness.mjs";

const dialog = (page) => page.locator("#crash[open]");

// The page with a program in place of its own that panics in one role.
async function startPanicking(t, role) {
  const overlay = new Map([["app.wasm.gz", buildGo("./web/e2e/testdata/crash")]]);
  const { page, ...rest } = await start(t, { overlay, path: `?panic=${role}` });
  await dialog(page).waitFor();
  page.problems.length = 0;
  return { page, overlay, ...rest };
}

test("an engine that panicked is started again", async (t) => {
  const { page } = await startPanicking(t, "engine");
  assert.equal(await page.locator("#crash-title").textContent(), "The engine has crashed");
  assert.match(await page.locator("#crash-details").textContent(), /panic: engine broken on purpose[^]*goroutine 1/);
  assert.equal(engine(page), undefined);
  assert.deepEqual(await axe(page), []);
  const started = page.waitForEvent("worker");
  await page.keyboard.press("Enter");
  await started;
  await dialog(page).waitFor({ state: "detached" });
  assert.ok(engine(page));
});

test("a page that panicked offers a reload", async (t) => {
  const { page, overlay } = await startPanicking(t, "page");
  assert.equal(await page.locator("#crash-title").textContent(), "The page has crashed");
  assert.match(await page.locator("#crash-details").textContent(), /panic: page broken on purpose/);
  assert.deepEqual(await axe(page), []);
  overlay.clear();
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  await whenReady(page);
  assert.equal(await dialog(page).count(), 0);
});

test("an exception in the engine's worker is a crash", async (t) => {
  const { page } = await start(t);
  await engine(page).evaluate(() => void setTimeout(() => { throw new Error("thrown on purpose"); }));
  await dialog(page).waitFor();
  assert.match(await page.locator("#crash-details").textContent(), /thrown on purpose/);
  page.problems.length = 0;
});

test("a panel that cannot be drawn says why, and the page goes on", async (t) => {
  const { page } = await start(t);
  await page.evaluate(() => {
    const make = document.createElement;
    document.createElement = function (tag) {
      if (tag === "table" && !globalThis.mended) throw new Error("broken on purpose");
      return make.call(this, tag);
    };
    return window.reconcile.runToQuiet();
  });
  await page.locator("#tab-keys").click();
  await testid(page, "keys").getByRole("alert").getByText(/could not be drawn: broken on purpose\..*go on with the rest/).waitFor();
  page.problems.length = 0;
  const { timeline } = await state(page);
  await page.locator("#tab-log").click();
  await page.evaluate(() => { globalThis.mended = true; });
  await page.locator("#tab-keys").click();
  await testid(page, "keys").locator("table").waitFor();
  // What a file loaded later throws outside of what it draws is told, too.
  await page.evaluate(() => { Object.defineProperty(globalThis.reconcileLater, "plots.js", { get: () => ({ draw() { throw new Error("no plots on purpose"); } }) }); });
  await page.locator("#tab-plots").click();
  await until("it is told", async () => page.problems.some((p) => /no plots on purpose\n\s+at /.test(p)));
  await page.evaluate(() => window.reconcile.advance("1s"));
  assert.equal((await state(page)).timeline.length, timeline.length + 1);
  assert.equal(await dialog(page).count(), 0);
  page.problems.length = 0;
});

test("the details can be copied, the stored data exported and deleted", async (t) => {
  const { page, context } = await start(t);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  assert.equal((await state(page)).storage, "saved");
  await engine(page).evaluate(() => void setTimeout(() => { throw new Error("thrown on purpose"); }));
  await dialog(page).waitFor();
  page.problems.length = 0;

  await page.getByRole("button", { name: "Copy details" }).click();
  await page.getByText("Copied.").waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /thrown on purpose/);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export stored data" }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), "reconcile-stored.json");
  const stored = JSON.parse(await text(await file.createReadStream()));
  assert.equal(stored.format, "reconcile.raw/v1");
  assert.ok(stored.stores.meta.some(([key]) => key === "commit"));

  await page.getByRole("button", { name: "Delete stored data" }).click();
  await page.getByText("Export it first").waitFor();
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Yes, delete it" }).click()]);
  await whenReady(page);
});

test("an engine that does not answer is offered a restart", async (t) => {
  const { page } = await start(t);
  await page.clock.install();
  await engine(page).evaluate(() => { globalThis.reconcileReceive = () => {}; });
  await page.evaluate(() => globalThis.reconcileBoot.post("{}"));
  await page.clock.runFor(11000);
  await dialog(page).waitFor();
  assert.equal(await page.locator("#crash-title").textContent(), "The engine does not answer");
  const started = page.waitForEvent("worker");
  await page.keyboard.press("Enter");
  await started;
  await dialog(page).waitFor({ state: "detached" });
});

test("an engine that still loads one of two modules is not taken for hung", async (t) => {
  const { page } = await start(t);
  await page.clock.install();
  // Once the page has answered, it has heard what the worker said before.
  const says = async (...messages) => {
    await engine(page).evaluate((all) => all.forEach((one) => self.postMessage(one)), messages);
    for (let i = 0; i < 3; i++) await page.evaluate(() => new Promise((heard) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = heard; port2.postMessage(0); }));
  };
  await engine(page).evaluate(() => { globalThis.reconcileReceive = () => {}; });
  await says({ loading: "one.wasm", done: 0 }, { loading: "two.wasm", done: 0 }, { loaded: "two.wasm", why: "on purpose" });
  await page.evaluate(() => globalThis.reconcileBoot.post("{}"));
  await page.clock.runFor(11000);
  assert.equal(await dialog(page).count(), 0, "it loads one.wasm");
  await says({ loaded: "one.wasm", why: "on purpose" });
  await page.clock.runFor(11000);
  await dialog(page).waitFor();
});

async function text(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
