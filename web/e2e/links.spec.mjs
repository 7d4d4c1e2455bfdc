// Links: scenario and choices behind the #, opened elsewhere as the very same timeline, never over what one had.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { axe, picture, state, testid, until, whenReady } from "./harness.mjs";
import { editorText, openFile, press, settled, typeOver, useLab } from "./lab.mjs";

const lab = useLab();
const withoutStorage = (s) => ({ ...s, storage: null });
const packed = (value) => "#run1." + deflateRawSync(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const toasts = (page) => page.locator(".toasts").innerText();
const requests = [];

// The run that is shared: something of everything, looked at in its past.
let link, shared, log;
test("the button shows the link that window.reconcile gives", async (t) => {
  const page = await lab.open(t);
  page.on("request", (request) => requests.push(request.url()));
  await press(page, "run");
  await page.evaluate(() => window.reconcile.delete("WebApp/default/plain"));
  await press(page, "crash");
  await press(page, "restart");
  await press(page, "run");
  await page.evaluate(() => window.reconcile.seek(30));
  shared = withoutStorage(await state(page));
  link = await page.evaluate(() => window.reconcile.link());
  await testid(page, "share").click();
  const field = testid(page, "share-link");
  await field.waitFor();
  assert.equal(await field.inputValue(), link);
  assert.equal(await page.evaluate(() => document.activeElement.id), "share-link");
  assert.deepEqual(await axe(page), []);
  await picture(page, "share");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "share");
  await page.locator("#tab-log").click();
  log = await page.locator(".log-line").allInnerTexts();
});

test("a link is short, and opening it elsewhere gives the very same timeline", async (t) => {
  assert.ok(link.length < 8192, `it has ${link.length} characters`);
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#run1\.[\w-]+$/);
  const page = await lab.open(t, { url: link, tour: true });
  // The page is up before the link is read; calls wait for it.
  assert.deepEqual(withoutStorage(await state(page)), shared);
  assert.equal(await page.evaluate(() => location.hash), "", "a reload does not ask again");
  assert.match(await page.locator(".banner-info").innerText(), /The run of the link was opened/);
  const toured = () => testid(page, "guide").getAttribute("data-tour");
  assert.equal(await toured(), "0", "the tour tells of another run");
  await page.locator("#tab-log").click();
  assert.deepEqual(await page.locator(".log-line").allInnerTexts(), log);
  // It is stored like any other run.
  await page.evaluate((n) => window.reconcile.seek(n), shared.timeline.length);
  const tip = await state(page);
  await page.reload();
  await whenReady(page);
  assert.equal(await toured(), "0", "after a reload too");
  const again = await state(page);
  assert.deepEqual(again.objects, tip.objects);
  assert.equal(again.timeline.length, tip.timeline.length + 1);
});

test("what the visitor had is asked about first, and kept", async (t) => {
  const page = await lab.open(t);
  await openFile(page, "plain.yaml");
  await typeOver(page, "# mine\n");
  const mine = await press(page, "run");
  await page.goto(link);
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  assert.match(await dialog.innerText(), /Open Lab: three WebApps \(\d+ steps\)\?/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "confirm-no");
  await page.keyboard.press("Enter");
  assert.deepEqual(withoutStorage(await settled(page)), withoutStorage(mine), "no changes nothing");
  await page.goto(link);
  await testid(page, "confirm").click();
  // The page is up before the link is read; calls wait for it.
  assert.deepEqual(withoutStorage(await state(page)), shared);
  await testid(page, "library").click();
  await page.getByRole("button", { name: "Take it up again" }).click();
  assert.deepEqual(withoutStorage(await until("mine is back", async () => {
    const s = await settled(page);
    return s.timeline.length === mine.timeline.length && s;
  })), withoutStorage(mine));
  assert.match(await page.locator(".banner-info").innerText(), /The run that was kept is open again/);
  await openFile(page, "plain.yaml");
  await until("what was typed is back", async () => (await editorText(page)) === "# mine\n");
});

test("links that are damaged, foreign or bombs change nothing and say so", async (t) => {
  const page = await lab.open(t);
  const before = await state(page);
  for (const [hash, says] of [
    [link.slice(link.indexOf("#"), -40), /damaged or was cut short/],
    ["#run1.!!!", /letters that no link has/],
    ["#run7.abc", /a version that this page does not read/],
    [packed("not JSON"), /holds no run/],
    [packed({ format: "reconcile.link/v9" }), /reads "reconcile\.link\/v1"/],
    [packed(JSON.stringify({ format: "x".repeat(40_000_000) })), /unpacks to more than 17 MB/],
    [packed({ format: "reconcile.link/v1", scenario: "-- scenario.yaml --\nname: [", choices: [] }), /Opening the link: .*scenario/],
    [packed({ format: "reconcile.link/v1", scenario: "", choices: Array(60_000).fill("tick") }), /60000 steps; 50000 are played/],
  ]) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await until(`${says}`, async () => says.test(await toasts(page)));
    assert.deepEqual(await settled(page), before);
  }
});

test("an older link says at which step it differs", async (t) => {
  const { inflateRawSync } = await import("node:zlib");
  const old = JSON.parse(inflateRawSync(Buffer.from(link.slice(link.indexOf("run1.") + 5), "base64url")).toString());
  old.choices[11] = "start controller default/nobody";
  old.semantics = "1";
  const page = await lab.open(t, { path: packed(old) });
  await until("the notice", async () => /differs at step 12\..*made by version 1 of the rules/.test(await page.locator(".banner-info").innerText()));
  assert.deepEqual((await state(page)).timeline, { step: 11, length: 11 });
});

test("while a link is being opened acts wait, and where it fails what was there goes on", async (t) => {
  const page = await lab.open(t);
  const begins = (await state(page)).timeline.length;
  await page.evaluate(() => window.reconcile.kubectl("get webapps"));
  await press(page, "step");
  const scripted = await page.evaluate(() => window.reconcile.link());
  const { timeline } = await state(page);

  const context = await lab.browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", serviceWorkers: "block" });
  let held;
  let there = false;
  const hold = () => { let letGo; held = new Promise((resolve) => { letGo = resolve; }); return letGo; };
  await context.route("**/scripts.wasm*", async (route) => { await held; await (there ? route.continue() : route.abort()); });
  let letGo = hold();
  const other = await lab.open(t, { context, url: scripted, tour: true });
  const guide = testid(other, "guide");
  const act = async () => {
    await guide.getByText("Opening the link…").waitFor();
    await guide.getByText("What runs its scripts is being loaded").waitFor();
    assert.equal(await testid(other, "step").getAttribute("aria-disabled"), "true");
    await testid(other, "step").click({ force: true });
    for (const key of ["s", "r", "g", "k"]) await other.keyboard.press(key);
    await testid(other, "apply").click();
    await other.locator(".toast").getByText("wait until it is there").waitFor();
    assert.deepEqual(await axe(other), []);
  };
  await act();
  letGo();
  await until("why it failed", async () => /Opening the link: what runs scripts has not been loaded/.test(await toasts(other)));
  await until("the tour goes on", async () => (await guide.getAttribute("data-tour")) === "1");
  assert.deepEqual((await state(other)).timeline, { step: begins, length: begins }, "no act was made");
  assert.deepEqual((await press(other, "step")).timeline, { step: begins + 1, length: begins + 1 }, "what was there goes on");
  other.problems.length = 0;

  letGo = hold();
  there = true;
  await other.goto(scripted);
  await testid(other, "confirm").click();
  await act();
  letGo();
  await until("the link is open", async () => /The run of the link was opened/.test(await other.locator(".banner-info").allInnerTexts().then(String)));
  assert.deepEqual((await state(other)).timeline, timeline, "no act has reached it either");
});

test("nothing of a link is ever sent", () => {
  assert.deepEqual(requests.filter((url) => url.includes("run1")), []);
});

test("a run that is too long for a link is offered as a file", async (t) => {
  const page = await lab.open(t);
  const noise = Array.from({ length: 9000 }, (_, i) => ((i * 2654435761) >>> 0).toString(36)).join(" ");
  await page.evaluate((base) => window.reconcile.apply(`apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shared\ndata:\n  base: "${base}"\n`), noise);
  const refused = await page.evaluate(() => window.reconcile.link().then(() => "", (err) => err.reason));
  assert.equal(refused, "TooLong");
  await testid(page, "share").click();
  const file = page.locator("#share-file");
  await file.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), file.click()]);
  assert.equal(download.suggestedFilename(), "reconcile-cluster.json");
});
