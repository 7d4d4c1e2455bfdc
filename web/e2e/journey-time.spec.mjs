// Time: a reload is a crash of the controller, the view moves without undoing anything, acting in the past
// keeps what was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { state, testid, until, whenReady } from "./harness.mjs";
import { editorText, find, key, openFile, pick, press, settled, stored, typeOver, useLab, versions } from "./lab.mjs";

const lab = useLab();
const notices = (page) => page.locator(".banner-info").allInnerTexts().then((all) => all.join("\n"));
const lastLine = (page) => page.locator(".log-line").last().innerText();

// What a reload must not change.
const kept = (s) => ({ objects: s.objects, cloud: s.cloud, revision: s.revision, clock: s.clock });

test("a reload at any moment: the cluster is as of the last step, and the controller starts anew", async (t) => {
  const page = await lab.open(t);
  // Before the first step, in mid-pass, right after a write, and at rest.
  for (const arrive of [
    async () => state(page),
    async () => press(page, "step-call"),
    async () => {
      await press(page, "step-call");
      return press(page, "step-call");
    },
    async () => press(page, "run"),
  ]) {
    const before = await arrive();
    await page.reload();
    await whenReady(page);
    const after = await state(page);
    assert.deepEqual(kept(after), kept(before));
    assert.deepEqual(after.timeline, { step: before.timeline.length + 1, length: before.timeline.length + 1 });
    assert.deepEqual([after.cache, after.queue, after.wire], [[], [], []], "memory was not the truth");
    assert.match(await lastLine(page), /reload/);
    assert.match(await notices(page), /The page was reloaded, and that was a crash of the controller/);
    const next = await page.evaluate(() => window.reconcile.enabled());
    assert.ok(next[0].startsWith("list controller"), next.join(", "));
    assert.equal(after.storage, "saved");
  }
  const s = await press(page, "run");
  for (const name of ["plain", "outside"]) assert.equal(find(s, `WebApp/default/${name}`).status.phase, "Ready");
  assert.deepEqual(s.cloud.map((item) => item.id), ["lb-0001"], "never two, however often it was interrupted");
  assert.equal(await notices(page), "", "the first act after it has taken the news away");
});

test("a reload shows the object that was selected, and the selection stays or follows as before", async (t) => {
  const page = await lab.open(t);
  const shown = () => testid(page, "detail").getAttribute("data-object");
  const reload = async () => {
    await page.reload();
    await whenReady(page);
  };
  await press(page, "run");
  const followed = await shown();
  assert.notEqual(followed, "WebApp/default/plain", "the selection has gone to what changed");
  await reload();
  assert.equal(await shown(), followed);
  await page.locator('[id="object-ConfigMap/default/plain-config"]').click();
  await reload();
  assert.equal(await shown(), "ConfigMap/default/plain-config");
  await press(page, "run");
  assert.equal(await shown(), "ConfigMap/default/plain-config", "it was picked by hand");
});

test("what is typed is kept, applied or not", async (t) => {
  const page = await lab.open(t);
  await openFile(page, "waiting.yaml");
  await typeOver(page, "# not finished\n");
  await until("the text is stored", async () => JSON.stringify((await stored(page)).files).includes("# not finished"));
  await page.reload();
  await whenReady(page);
  await openFile(page, "waiting.yaml");
  assert.equal(await editorText(page), "# not finished\n");
});

test("back, forward and seek move the view; what is stored stays at the tip", async (t) => {
  const page = await lab.open(t);
  const states = [];
  for (let s = await state(page); states.length < 8; s = await press(page, "step")) states[s.timeline.step] = s;
  const tip = await state(page);
  const at = async (n) => {
    const s = await settled(page);
    assert.equal(s.timeline.step, n);
    assert.equal(await testid(page, "timeline").getAttribute("data-step"), String(n));
    assert.deepEqual({ ...s, timeline: null }, { ...states[n], timeline: null });
    assert.equal(s.timeline.length, tip.timeline.length);
    assert.deepEqual(Object.keys((await stored(page)).choices).length, tip.timeline.length);
  };
  states[tip.timeline.step] = tip;
  await press(page, "back");
  await at(tip.timeline.step - 1);
  assert.match(await testid(page, "guide").innerText(), new RegExp(`After step ${tip.timeline.step - 1}\\.`));
  await key(page, "ArrowLeft");
  await at(tip.timeline.step - 2);
  await page.getByRole("button", { name: "One step forward" }).click();
  await at(tip.timeline.step - 1);
  await page.locator(".log-line").filter({ has: page.locator(".n", { hasText: /^6$/ }) }).click();
  await at(6);
  await page.getByRole("slider", { name: "Step in view" }).fill("7");
  await at(7);
  await page.locator(".lanes button.ev").first().click();
  assert.ok((await settled(page)).timeline.step < 7);
  await key(page, "End");
  await at(tip.timeline.step);
});

test("acting in the past starts a branch; the old one is kept and can be taken up again", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  const old = await state(page);
  await page.evaluate(() => window.reconcile.seek(8));
  const s = await press(page, "crash");
  assert.deepEqual(s.timeline, { step: 9, length: 9 });
  assert.match(await notices(page), /You acted in the past: a new branch begins with step 9\. The old one is kept/);
  // One click or one key takes back what was not meant, and says so.
  assert.deepEqual(await key(page, "u"), old);
  assert.doesNotMatch(await notices(page), /You acted in the past/);
  assert.match(await page.locator(".toasts").innerText(), /That branch is current again/);
  await page.evaluate(() => window.reconcile.seek(8));
  await press(page, "crash");
  assert.deepEqual(await press(page, "old-branch"), old);
  assert.equal(await page.evaluate(() => document.activeElement.id), "step");
  await page.evaluate(() => window.reconcile.seek(8));
  await press(page, "crash");
  await press(page, "restart");
  const fresh = await press(page, "run");
  assert.notDeepEqual(versions(fresh), versions(old));
  assert.match(await notices(page), /You acted in the past/, "what can be taken back stays until it is closed");
  await page.getByRole("button", { name: "Dismiss" }).first().click();
  await page.locator(".banner-info").waitFor({ state: "detached" });

  // Both branches outlive the page.
  await page.reload();
  await whenReady(page);
  await pick(page, "branches", /From step 8.*left to run/);
  const again = await state(page);
  assert.deepEqual(again, old);
  await pick(page, "branches", /From step 8.*restart/);
  assert.deepEqual(kept(await state(page)), kept(fresh));
});

test("the same choices give the same cluster, in every browser", async (t) => {
  const run = async () => {
    const page = await lab.open(t);
    await press(page, "run");
    await page.evaluate(() => window.reconcile.delete("WebApp/default/outside"));
    return press(page, "run");
  };
  assert.deepEqual(await run(), await run());
});
