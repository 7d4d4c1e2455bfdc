// What is to be seen of a run as a whole, and what can go wrong in it: one page for all tests, each going on
// where the one before it stopped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, picture, state, testid, until } from "./harness.mjs";
import { find, key, press, settled, useLab } from "./lab.mjs";

const lab = useLab();

test("faults, causes, plots, findings, predictions and speeds", async (t) => {
  const page = await lab.open(t);
  const tab = (name) => page.locator(`#tab-${name}`).click();

  await t.test("a fault is picked at the call that waits; its outcome looks its own way and is explained", async () => {
    await press(page, "step-call");
    await key(page, "i");
    assert.equal(await page.evaluate(() => document.activeElement.id), "menu-first");
    assert.deepEqual(await axe(page), []);
    await page.locator('[data-fault="fault lost-reply controller default/plain"]').click();
    const s = await settled(page);
    assert.equal(s.pass.action.at(-1).outcome, "lost-reply");
    const outcome = testid(page, "beat-action").locator('[data-outcome="lost-reply"]');
    assert.match(await outcome.innerText(), /⇠\s*landed, reply lost/);
    assert.match(await testid(page, "beat-action").innerText(), /unless it looks first/);
    assert.ok(await page.locator(".ev.out-lost-reply").count() > 0, "the lanes mark it");
  });

  await t.test("window.reconcile arms a fault for the next call that it can hit", async () => {
    await page.evaluate(() => window.reconcile.inject("cloud-lost-reply"));
    await until("it is armed", async () => /Armed: cloud-lost-reply/.test(await page.locator("#menu-fault").innerText()));
    await press(page, "run");
    assert.match(await page.locator("#menu-fault").innerText(), /^Fault/);
    assert.equal((await state(page)).cloud.length, 1, "it looked before it made another one");
  });

  await t.test("each key in the queue leads back to the write that woke it", async () => {
    await page.evaluate(() => window.reconcile.apply("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\nspec:\n  message: again\n"));
    await press(page, "step");
    await tab("keys");
    const row = testid(page, "keys").locator('[data-key="default/plain"]');
    await row.waitFor();
    assert.ok((await testid(page, "keys").locator("table").boundingBox()).width > 900, "there is room for the reasons");
    assert.match(await row.innerText(), /by someone outside\s*step \d+: apply · .*WebApp\/default\/plain/);
    assert.deepEqual(await axe(page), []);
    const { timeline } = await state(page);
    await row.locator(".link").first().click();
    const seen = await settled(page);
    assert.equal(seen.timeline.step, timeline.length - 1);
    await key(page, "End");
    await row.getByRole("button", { name: "Take it" }).click();
    assert.equal((await settled(page)).pass.key, "default/plain");
  });

  await t.test("plots are drawn within the page's policy, and told in words", async () => {
    await press(page, "run");
    await tab("plots");
    await until("four plots", async () => (await page.locator("#plots canvas").count()) === 4);
    assert.match(await testid(page, "plots").innerText(), /default\/plain: \d+ passes/);
    assert.deepEqual(await axe(page), []);
    await picture(page, "plots");
  });

  await t.test("findings say that nothing is wrong, in the tab of their own", async () => {
    await tab("found");
    await testid(page, "findings").getByText(/Nothing is wrong with this run/).waitFor();
  });

  await t.test("in predict mode the page asks first and keeps the score", async () => {
    await page.evaluate(() => window.reconcile.apply("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\nspec:\n  message: foreseen\n"));
    await page.locator("#menu-play").click();
    await page.getByRole("button", { name: "Predict each step first" }).click();
    const before = (await state(page)).timeline.length;
    await testid(page, "step").click();
    await page.getByRole("dialog", { name: "Will a key be queued?" }).waitFor();
    assert.deepEqual(await axe(page), []);
    assert.equal((await state(page)).timeline.length, before, "nothing happens before the answer");
    await page.locator('[data-answer="at-once"]').click();
    await until("the score", async () => /Right: .*1 of 1 right/.test(await page.locator(".toasts").innerText()));
    await testid(page, "run").click();
    await page.getByRole("dialog").waitFor();
    await page.getByRole("button", { name: "Just show it" }).click();
    await page.getByRole("dialog").waitFor();
    const asked = (await state(page)).timeline.length;
    await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    assert.equal((await settled(page)).timeline.length, asked, "a stopped question ends the run");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await testid(page, "step").click();
    await page.getByRole("dialog").waitFor();
    assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Stop" }).count(), 0, "after one step nothing goes on");
    await page.keyboard.press("Escape");
    assert.equal((await settled(page)).timeline.length, asked, "a closed question is no step");
    await page.locator("#menu-play").click();
    await page.getByRole("button", { name: "Predict each step first" }).click();
  });

  await t.test("play ends where it is told to, and pause always works", async () => {
    await page.locator("#menu-play").click();
    await page.getByRole("button", { name: "an object changes" }).click();
    await page.locator("#menu-play").click();
    await page.getByRole("button", { name: "100×" }).click();
    const { revision } = await state(page);
    await key(page, "p");
    const s = await until("it has stopped", async () => {
      const now = await state(page);
      return (await page.locator('[aria-pressed="true"][aria-label="Pause"]').count()) === 0 && now.revision > revision && now;
    });
    assert.equal(find(s, "ConfigMap/default/plain-config").data.message, "foreseen");
    // Nothing but a person ends it now.
    await page.locator("#menu-play").click();
    await page.getByRole("button", { name: "you stop it" }).click();
    await key(page, "p");
    await until("it plays", async () => (await page.locator('[aria-pressed="true"][aria-label="Pause"]').count()) === 1);
    await key(page, "p");
    const paused = await settled(page);
    assert.deepEqual((await settled(page)).timeline, paused.timeline);
  });

  await t.test("any step of a long run is found, whatever was in view", async () => {
    await page.evaluate(async () => {
      for (let n = 0; (await window.reconcile.state()).timeline.length < 600; n++) {
        await window.reconcile.apply(`apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\nspec:\n  message: m${n}\n`);
        await window.reconcile.runToQuiet();
      }
    });
    const { timeline } = await state(page);
    for (const part of [0.99, 0.5, 0.013, 0.77]) {
      const n = Math.floor(timeline.length * part);
      await page.evaluate((to) => window.reconcile.seek(to), n);
      assert.equal((await state(page)).timeline.step, n);
    }
  });
});
