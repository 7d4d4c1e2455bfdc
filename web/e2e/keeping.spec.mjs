// Where the cluster is kept, as the page shows it: saved, held by another tab, or in memory alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { engine, openPage, start, state, stateWhere, testid, whenReady } from "./harness.mjs";

const kept = (page) => state(page).then((s) => s.storage);
const step = (page) => page.evaluate(() => window.reconcile.step());
const noted = (name) => (s) => s.storage === name;

// Changes what is stored, from a page of the same origin that runs no engine.
function tamper(context, site, change) {
  return context.newPage().then(async (page) => {
    await page.goto(`${site.url}manifest.webmanifest`);
    await page.evaluate(async (source) => {
      const db = await new Promise((resolve, reject) => {
        const opening = indexedDB.open("reconcile");
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error);
      });
      const tx = db.transaction(Array.from(db.objectStoreNames), "readwrite");
      new Function("tx", source)(tx);
      await new Promise((resolve) => { tx.oncomplete = resolve; });
      db.close();
    }, change);
    await page.close();
  });
}

test("a reload and a restart of the engine find what was stored, and no other tab", async (t) => {
  const { page } = await start(t);
  await step(page);
  const before = await state(page);
  assert.equal(before.storage, "saved");
  await page.reload();
  await whenReady(page);
  let after = await state(page);
  assert.equal(after.storage, "saved");
  assert.deepEqual(after.objects, before.objects);
  const started = page.waitForEvent("worker");
  await page.evaluate(() => globalThis.reconcileBoot.restartEngine());
  await started;
  after = await stateWhere(page, noted("saved"));
  assert.deepEqual(after.objects, before.objects);
});

test("a second tab says who holds the cluster, and may take it over", async (t) => {
  const { page, site, browser, context } = await start(t);
  const second = await openPage(browser, site.url, { context });
  assert.equal(await kept(second), "foreign-tab");
  assert.equal(await kept(page), "saved");
  await step(page);
  await second.getByRole("button", { name: "Take over" }).click();
  await stateWhere(second, noted("saved"));
  await stateWhere(page, noted("foreign-tab"));
  assert.deepEqual((await state(second)).objects, (await state(page)).objects, "the second tab has what the first one stored");
  await step(second);
  await step(page);
  await second.reload();
  await whenReady(second);
  assert.equal(await kept(second), "saved");
  assert.deepEqual(second.problems, []);
});

test("a tab that is hidden keeps what it shows for itself, and leaves the other's preferences as they are", async (t) => {
  const { page, site, browser, context } = await start(t);
  const second = await openPage(browser, site.url, { context });
  const prefers = () => page.evaluate(() => JSON.parse(localStorage["reconcile-preferences"] ?? "{}"));
  const shown = (tab) => tab.locator(".obj-link[aria-current]").getAttribute("id");
  const before = await shown(page);
  const rows = await testid(second, "object-row").evaluateAll((all) => all.map((row) => `object-${row.dataset.key}`));
  const other = rows.find((id) => id !== before);
  await page.locator("button[title^=Theme]").click();
  const wanted = await prefers();
  assert.ok(wanted.theme, "the first tab has a theme of its own");
  await second.locator(`[id="${other}"]`).click();
  await second.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  assert.deepEqual(await prefers(), wanted);
  await second.reload();
  await whenReady(second);
  assert.equal(await shown(second), other);
  await page.reload();
  await whenReady(page);
  assert.equal(await shown(page), before);
});

test("without IndexedDB everything works, in memory", async (t) => {
  // The engine's worker is where it is looked for.
  const { page, site } = await start(t, { ready: false, contextOptions: { serviceWorkers: "block" } });
  const { readFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  site.overlay.set("worker.js", `Object.defineProperty(self, "indexedDB", { value: null });\n${readFileSync(join(site.dir, "worker.js"))}`);
  await page.reload();
  await whenReady(page);
  assert.equal(await kept(page), "memory");
  assert.match(await testid(page, "storage-state").textContent(), /memory/);
  const { timeline } = await state(page);
  await step(page);
  assert.equal((await state(page)).timeline.length, timeline.length + 1);
});

for (const [what, change] of [
  ["damaged", `tx.objectStore("objects").clear()`],
  ["of a newer format", `tx.objectStore("meta").put('{"version":99}', "format")`],
]) {
  test(`data that is ${what} stays as it is, can be exported and reset`, async (t) => {
    const { page, site, context } = await start(t);
    await step(page);
    await page.goto("about:blank");
    await tamper(context, site, change);
    await page.goto(site.url);
    await whenReady(page);
    assert.equal(await kept(page), "memory");
    await step(page);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export what is stored" }).click();
    assert.equal((await download).suggestedFilename(), "reconcile-stored.json");
    await page.reload();
    await whenReady(page);
    assert.equal(await kept(page), "memory", "nothing was overwritten");
    const loaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Delete what is stored" }).click();
    const sure = page.getByRole("dialog").getByRole("button").first();
    await Promise.race([loaded, sure.waitFor().then(() => sure.click())]);
    await loaded;
    await whenReady(page);
    await stateWhere(page, noted("saved"));
    assert.ok(engine(page));
  });
}
