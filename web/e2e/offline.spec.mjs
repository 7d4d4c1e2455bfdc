// After the first visit the page works without a network, always as one whole version.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dist, start, testid, until, whenReady } from "./harness.mjs";
import { editorOf, typeOver } from "./lab.mjs";

const settled = (page) => page.evaluate(() => navigator.serviceWorker.ready.then((r) => Boolean(r.active)));
const version = (page) => page.evaluate(() => globalThis.reconcileBoot.version);

// A copy of dist as another version of it: every file that names the version names the other one.
function otherVersion(t, name) {
  const dir = mkdtempSync(join(tmpdir(), "reconcile-dist-"));
  t.after(() => rmSync(dir, { recursive: true }));
  cpSync(dist, dir, { recursive: true });
  const old = /data-version="(\w+)"/.exec(readFileSync(join(dist, "index.html"), "utf8"))[1];
  const { createHash } = process.getBuiltinModule("node:crypto");
  let sw = readFileSync(join(dir, "sw.js"), "utf8");
  for (const file of ["index.html", "boot.js", "worker.js"]) {
    const before = readFileSync(join(dir, file), "utf8");
    const after = before.replaceAll(old, name);
    const hash = (text) => createHash("sha256").update(text).digest("hex");
    writeFileSync(join(dir, file), after);
    sw = sw.replaceAll(hash(before), hash(after));
  }
  writeFileSync(join(dir, "sw.js"), sw.replaceAll(old, name));
  return dir;
}

for (const prefix of ["/", "/some/folder/"]) {
  test(`works offline after the first visit, at ${prefix}`, async (t) => {
    const { page, site } = await start(t, { prefix });
    assert.ok(await settled(page));
    site.down = true;
    const asked = site.requests.length;
    await page.reload();
    await whenReady(page);
    await page.goto(`${site.url}?embed=none#link`);
    await whenReady(page);
    assert.equal(site.requests.length, asked, "nothing reached the server");
  });
}

test("what panels, plots and links are made with is there without a network, though it was never opened", async (t) => {
  const { page, site } = await start(t);
  assert.ok(await settled(page));
  await until("they are kept", () => page.evaluate(async () => {
    const urls = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    const names = urls.flat().map((request) => new URL(request.url).pathname.slice(1));
    return ["bundle.js", "link.js", "panels.js", "plots.js"].every((name) => names.includes(name)) && !names.some((name) => /scripts|rules/.test(name));
  }));
  site.down = true;
  await page.reload();
  await whenReady(page);
  await page.locator("#tab-keys").click();
  await page.locator("#panel").getByText("The work queue is empty").waitFor();
  await page.locator("#tab-plots").click();
  await page.locator("#plots canvas").first().waitFor();
  await testid(page, "share").click();
  await testid(page, "share-link").waitFor();
});

test("a small file that a host does not have keeps nothing else from being kept", async (t) => {
  const { page, site } = await start(t, { overlay: new Map([["panels.js", null]]) });
  assert.ok(await settled(page));
  await page.locator("#tab-keys").click();
  await page.locator("#panel").getByText("panels.js could not be loaded.").waitFor();
  site.down = true;
  await page.reload();
  await whenReady(page);
  page.problems.length = 0;
});

test("without a network, what was never loaded is said to be missing, and what was typed stays", async (t) => {
  const { page, site } = await start(t);
  assert.ok(await settled(page));
  site.down = true;
  const missing = /what runs scripts has not been loaded in this browser yet\. Be online once/;
  const steps = () => page.evaluate(() => window.reconcile.state().then((s) => s.timeline.length));
  const before = await steps();
  for (let i = 0; i < 2; i++) {
    assert.match(await page.evaluate(() => window.reconcile.kubectl("get wa").then(() => "", (err) => `${err.reason}: ${err.message}`)), new RegExp(`^ScriptsNotLoaded: .*${missing.source}`));
  }
  await page.keyboard.press("\\");
  const line = page.locator("#terminal-input");
  await line.fill("kubectl get wa -o name");
  await page.keyboard.press("Enter");
  await testid(page, "terminal").getByText(missing).waitFor();
  assert.equal(await line.inputValue(), "kubectl get wa -o name", "the line is to be tried again");

  await page.locator(".files").getByRole("button", { name: "Script" }).click();
  await editorOf(page).waitFor();
  await typeOver(page, "exit 0\n");
  await testid(page, "apply").click();
  await testid(page, "apply-error").getByText(missing).waitFor();
  assert.equal(await page.locator(".toast").count(), 0, "it is said once");
  assert.equal(await steps(), before, "nothing was changed");

  await testid(page, "scenario").selectOption("incident-stuck-finalizer");
  await testid(page, "confirm").click();
  await page.locator("#panel").getByText("As it is, broken").first().waitFor();
  await page.locator(".toast").getByText(missing).waitFor();

  site.down = false;
  await page.locator("#tab-terminal").click();
  await line.fill("kubectl get wa -o name");
  await line.press("Enter");
  await testid(page, "terminal").getByText("webapp.lab.example.com/").first().waitFor();
  page.problems.length = 0;
});

test("a document that was opened once is there without a network", async (t) => {
  const { page, site } = await start(t);
  assert.ok(await settled(page));
  assert.ok(!site.requests.some((r) => r.includes("fidelity")), "a first visit does not load it");
  await page.keyboard.press("?");
  const link = page.getByRole("dialog").getByRole("link", { name: "How true is it?" });
  const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await opened.getByRole("heading", { name: "How true is it?" }).waitFor();
  await opened.getByRole("cell", { name: "generate-name", exact: true }).waitFor();
  site.down = true;
  await opened.reload();
  await opened.getByRole("heading", { name: "How true is it?" }).waitFor();
  await opened.getByRole("link", { name: "Reconcile Playground" }).click();
  await whenReady(opened);
});

test("a new version offers itself, waits, and then replaces the old one as a whole", async (t) => {
  const { page, site } = await start(t);
  await settled(page);
  const first = await version(page);
  site.dir = otherVersion(t, "newer0000000");
  await page.reload();
  await whenReady(page);
  assert.equal(await version(page), first, "the old version goes on until the new one is asked for");
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r.update()));
  await until("the new version waits", () => page.evaluate(() => globalThis.reconcileBoot.update !== null));
  await Promise.all([page.waitForEvent("load"), page.evaluate(() => globalThis.reconcileBoot.update())]);
  await whenReady(page);
  assert.equal(await version(page), "newer0000000");
  site.down = true;
  await page.reload();
  await whenReady(page);
  assert.equal(await version(page), "newer0000000");
});

test("a page of the old version keeps its own files beside the new one", async (t) => {
  const { page, site, context } = await start(t);
  await settled(page);
  const first = await version(page);
  site.dir = otherVersion(t, "newer0000000");
  const second = await context.newPage();
  await second.goto(site.url);
  await whenReady(second);
  await second.evaluate(() => navigator.serviceWorker.getRegistration().then((r) => r.update()));
  await until("the new version waits", () => second.evaluate(() => globalThis.reconcileBoot.update !== null));
  await Promise.all([second.waitForEvent("load"), second.evaluate(() => globalThis.reconcileBoot.update())]);
  await whenReady(second);
  // The first page starts its engine again: from its own version's worker.
  const text = await page.evaluate(async (v) => (await fetch(`worker.js?v=${v}`)).text(), first);
  assert.ok(text.includes(first) && !text.includes("newer0000000"));
});

test("a half-deployed site is not cached", async (t) => {
  const { page, site } = await start(t);
  await settled(page);
  site.dir = otherVersion(t, "newer0000000");
  // The broken file comes when the page looks at who is being installed.
  let letGo;
  const looks = new Promise((resolve) => { letGo = resolve; });
  site.overlay.set("editor.js", (response) => looks.then(() => response.end("broken")));
  const installing = await page.evaluateHandle(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    return registration.installing;
  });
  letGo();
  await until("it is given up", () => installing.evaluate((worker) => worker.state === "redundant"));
  site.down = true;
  await page.reload();
  await whenReady(page);
  page.problems.length = 0;
});
