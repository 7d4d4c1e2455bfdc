// Deletion: what a finalizer is for, how it gets stuck, and the two ways out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { field, row, state, testid } from "./harness.mjs";
import { find, pick, press, settled, useLab } from "./lab.mjs";

const lab = useLab();
const key = "WebApp/default/outside";
const finalizer = "lab.example.com/cloud";

// A cluster at rest, with outside's load balancer in the cloud.
async function atRest(t) {
  const page = await lab.open(t);
  const s = await press(page, "run");
  assert.equal(s.cloud.length, 1);
  assert.equal(await field(page, key, "finalizers"), finalizer);
  assert.match(await testid(page, "cloud").innerText(), /lb-0001/);
  return page;
}

async function deleteOutside(page) {
  await page.locator(`[id="object-${key}"]`).click();
  await testid(page, "delete").click();
  assert.match(await page.getByRole("dialog").innerText(), /Delete WebApp\/default\/outside\?/);
  await testid(page, "confirm").click();
  return settled(page);
}

test("deleting goes by the finalizer: the cloud is emptied, then the object goes, then its child", async (t) => {
  const page = await atRest(t);
  let s = await deleteOutside(page);
  assert.equal(await field(page, key, "deletionTimestamp"), find(s, key).metadata.deletionTimestamp);
  assert.notEqual(await field(page, key, "deletionTimestamp"), "");
  assert.equal(await field(page, key, "finalizers"), finalizer);
  assert.equal(await field(page, key, "generation"), "2", "setting deletionTimestamp bumps generation");
  assert.match(await row(page, key).innerText(), /Terminating/);
  assert.equal(s.cloud.length, 1);

  // Call by call until the object has gone: the cloud was empty before.
  while (find(s, key)) {
    s = await press(page, "step-call");
    if (s.cloud.length === 1) assert.deepEqual(find(s, key).metadata.finalizers, [finalizer]);
  }
  assert.deepEqual(s.cloud, []);
  assert.ok(find(s, "ConfigMap/default/outside-config"), "the collector comes when it comes");
  s = await press(page, "run");
  assert.equal(find(s, "ConfigMap/default/outside-config"), undefined);
  assert.doesNotMatch(await testid(page, "cloud").innerText(), /lb-0001/);
  assert.ok(find(s, "ConfigMap/default/plain-config"), "the others' children stay");
});

test("without its controller a deletion is stuck; restarting it is the way out", async (t) => {
  const page = await atRest(t);
  await press(page, "crash");
  assert.match(await testid(page, "guide").innerText(), /The controller is down/);
  assert.equal(await testid(page, "crash").count(), 0);
  await deleteOutside(page);
  const { timeline } = await press(page, "run");
  assert.deepEqual((await press(page, "step")).timeline, timeline, "nobody is there to do anything");
  assert.notEqual(await field(page, key, "deletionTimestamp"), "");
  assert.equal(await field(page, key, "finalizers"), finalizer);
  let s = await pick(page, "clock", /^Advance 10 min/);
  assert.ok(find(s, key), "time does not help");
  assert.deepEqual([s.controller, s.cloud.length], ["crashed", 1]);

  await press(page, "restart");
  s = await press(page, "run");
  assert.equal(s.controller, "running");
  assert.equal(find(s, key), undefined);
  assert.equal(find(s, "ConfigMap/default/outside-config"), undefined);
  assert.deepEqual(s.cloud, []);
});

test("taking the finalizer off by hand is the other way out, and it leaks what it guarded", async (t) => {
  const page = await atRest(t);
  await press(page, "crash");
  await deleteOutside(page);
  await page.locator("#menu-finalizers").click();
  assert.match(await page.locator(".menu-list").innerText(), /what the finalizer guarded is no longer guarded/);
  await page.getByRole("button", { name: `Remove ${finalizer}` }).click();
  let s = await settled(page);
  assert.equal(find(s, key), undefined);
  assert.match(await row(page, key).innerText(), /gone/);
  assert.equal(s.cloud.length, 1);

  await press(page, "restart");
  s = await press(page, "run");
  assert.equal(find(s, "ConfigMap/default/outside-config"), undefined, "the collector does its part");
  assert.deepEqual(s.cloud.map((item) => item.id), ["lb-0001"], "nobody is left who knows of it");
  assert.match(await testid(page, "cloud").innerText(), /lb-0001/);
});

test("a crash in mid-pass loses nothing: the next pass finds what had landed", async (t) => {
  const page = await lab.open(t);
  let s = await state(page);
  while (s.cloud.length === 0) s = await press(page, "step-call");
  assert.equal(s.pass.key, "default/outside");
  s = await press(page, "crash");
  assert.deepEqual([s.controller, s.cache.length, s.queue.length, s.cloud.length], ["crashed", 0, 0, 1]);
  assert.match(await testid(page, "beat-requeue").innerText(), /the controller died in this pass/);
  assert.equal(find(s, key).status?.loadBalancer, undefined, "its id was not written down");
  await press(page, "restart");
  s = await press(page, "run");
  assert.deepEqual(s.cloud.map((item) => item.id), ["lb-0001"], "it was found, not made again");
  assert.equal(find(s, key).status.loadBalancer.id, "lb-0001");
});
