// Where nothing can be kept the page says so, goes on in memory, and lets one take the cluster along.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serve, state, stateWhere, testid, whenReady } from "./harness.mjs";
import { download, find, press, stored, useLab } from "./lab.mjs";

const lab = useLab();
const banner = (page) => page.locator(".banner:not(.banner-info)");
const kept = (page) => testid(page, "storage-state").getAttribute("data-value");

// What the banner offers is the whole cluster as it is in memory.
async function exportsAll(page) {
  const { timeline } = await state(page);
  const file = await download(page, () => banner(page).getByRole("button", { name: "Cluster as a file" }).click());
  const parsed = JSON.parse(file.text);
  assert.equal(parsed.format, "reconcile.cluster/v1");
  assert.equal(parsed.choices.length, timeline.length);
}

test("full storage: a banner, steps in memory, an export; once there is room all of it is stored", async (t) => {
  const context = await lab.browser.newContext({ serviceWorkers: "block", acceptDownloads: true });
  const looker = await context.newPage();
  await looker.goto(`${lab.site.url}icon.svg`);
  const devtools = await context.newCDPSession(looker);
  const quota = (size) => devtools.send("Storage.overrideQuotaForOrigin", { origin: lab.site.origin, ...size });
  // Before the first commit: Chromium remembers for a while that there was room.
  await quota({ quotaSize: 500000 });
  const page = await lab.open(t, { context });
  const before = await stored(page);
  const large = (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\ndata:\n  k: ${"x".repeat(200000)}\n`;
  await page.evaluate((yaml) => window.reconcile.apply(yaml), ["large", "larger", "largest"].map(large).join("---\n"));
  let s = await stateWhere(page, (now) => now.storage === "full");
  assert.match(await banner(page).innerText(), /The browser's storage is full: steps since then are kept in memory only\. Export the cluster/);
  assert.equal(await kept(page), "full");
  assert.ok(find(s, "ConfigMap/default/large"), "it was not lost");
  s = await press(page, "step-call");
  assert.equal(s.storage, "full");
  assert.deepEqual(Object.keys((await stored(page)).choices), Object.keys(before.choices), "no half step");
  await exportsAll(page);

  await quota({});
  s = await press(page, "step");
  s = await stateWhere(page, (now) => now.storage === "saved");
  assert.equal(await banner(page).count(), 0);
  await page.reload();
  await whenReady(page);
  const after = await state(page);
  assert.deepEqual(after.objects, s.objects);
  assert.equal(after.timeline.length, s.timeline.length + 1);
});

test("refused storage: a banner, everything in memory, an export, and nothing after a reload", async (t) => {
  const refuse = 'Object.defineProperty(self, "indexedDB", { get() { throw new DOMException("denied", "SecurityError"); } });\n';
  const site = await serve(lab.site.dir, { overlay: new Map([["worker.js", refuse + readFileSync(join(lab.site.dir, "worker.js"), "utf8")]]) });
  t.after(() => site.close());
  // A browser that denies it says so at the very look.
  const init = () => {
    for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
      Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
    }
  };
  const page = await lab.open(t, { url: site.url, init });
  await page.getByRole("button", { name: "Leave the tour" }).click();
  await page.keyboard.press("?");
  assert.equal(await page.getByRole("dialog").evaluate((box) => box.scrollTop), 0, "the keys are read from their title");
  await page.getByRole("checkbox", { name: /keys/ }).check();
  await page.keyboard.press("Escape");
  assert.equal(await kept(page), "memory");
  assert.match(await banner(page).innerText(), /The browser does not let this page store anything\. Everything works, in memory only/);
  const s = await press(page, "run");
  assert.equal(find(s, "WebApp/default/plain").status.phase, "Ready");
  assert.equal(s.storage, "memory");
  await exportsAll(page);
});

test("storage that the browser has thrown away: the page begins anew and says so, once; what a person deletes is no loss", async (t) => {
  const context = await lab.browser.newContext({ serviceWorkers: "block", acceptDownloads: true });
  const page = await lab.open(t, { context });
  const gone = page.locator(".banner").getByText("this browser has thrown its storage away");
  const { timeline: { length: begun } } = await state(page);
  await press(page, "step");
  await page.goto(`${lab.site.url}icon.svg`);
  await page.evaluate(() => new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase("reconcile");
    deleting.onsuccess = resolve;
    deleting.onerror = () => reject(deleting.error);
  }));
  await page.goto(lab.site.url);
  await whenReady(page);
  await gone.waitFor();
  assert.equal((await state(page)).timeline.length, begun);
  await page.reload();
  await whenReady(page);
  assert.equal(await gone.count(), 0);

  await press(page, "step");
  await Promise.all([page.waitForEvent("load"), page.evaluate(() => { globalThis.reconcileBoot.resetStored(); })]);
  await whenReady(page);
  assert.equal((await state(page)).timeline.length, begun);
  assert.equal(await gone.count(), 0);
});

test("a second tab is told who holds the cluster; when it takes over, the first one is told", async (t) => {
  const first = await lab.open(t);
  await press(first, "step-call");
  const second = await lab.open(t, { context: first.context() });
  assert.equal(await kept(second), "foreign-tab");
  assert.match(await banner(second).innerText(), /Another tab holds this cluster\. You can look around here; what you do is kept in memory only\.[^]*opened at \d\d:\d\d on \d+ /);
  assert.equal(await kept(first), "saved");
  const stands = await press(first, "step");
  await press(second, "step");
  assert.equal((await stored(first)).meta.head.step, stands.timeline.length, "the second tab stores nothing");

  await banner(second).getByRole("button", { name: "Take over" }).click();
  let s = await stateWhere(second, (now) => now.storage === "saved");
  assert.deepEqual(s.objects, stands.objects, "as the first tab left it");
  assert.equal(await banner(second).count(), 0);
  await stateWhere(first, (now) => now.storage === "foreign-tab");
  assert.match(await banner(first).innerText(), /Another tab holds this cluster/);
  s = await press(second, "run");
  await press(first, "step");
  assert.equal((await stored(first)).meta.head.step, s.timeline.length, "the first tab stores nothing now");

  await first.bringToFront();
  await banner(first).getByRole("button", { name: "Take over" }).click();
  const back = await stateWhere(first, (now) => now.storage === "saved");
  assert.deepEqual(back.objects, s.objects);
});
