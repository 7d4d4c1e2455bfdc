// The main job: a first visit with its tour, then an edit, a pass call by call, and convergence.

import assert from "node:assert/strict";
import { test } from "node:test";
import { field, row, state, testid, until } from "./harness.mjs";
import { applyText, condition, find, openFile, pick, press, settled, shownVersions, useLab, versions } from "./lab.mjs";

// As a user runs it: with the optimising compiler.
const lab = useLab({ optimised: true });
const guide = (page) => testid(page, "guide");
const tourStep = async (page) => Number(await guide(page).getAttribute("data-tour"));

const edited = `apiVersion: lab.example.com/v1
kind: WebApp
metadata:
  name: plain
  namespace: default
spec:
  message: good evening
  replicas: 2
`;

// Does what the guide suggests and waits until it is done.
async function follow(page) {
  const looks = async () => [await guide(page).innerText(), await testid(page, "timeline").getAttribute("data-length")].join("\n");
  const before = await looks();
  await testid(page, "guide-do").click();
  await settled(page);
  await until("the guide goes on", async () => (await looks()) !== before);
  await until("it is quiet", async () => !/Running to quiet/.test(await guide(page).innerText()));
  await settled(page);
}

test("a first visit shows three WebApps, and its tour of five steps ends with a cluster that stays as it is", async (t) => {
  const page = await lab.open(t, { tour: true });
  for (const name of ["plain", "waiting", "outside"]) {
    assert.equal(await field(page, `WebApp/default/${name}`, "generation"), "1");
    assert.equal(await field(page, `WebApp/default/${name}`, "observedGeneration"), "");
    assert.ok(await page.locator(`.file[data-file="${name}.yaml"]`).isVisible());
  }
  assert.equal(await testid(page, "storage-state").getAttribute("data-value"), "saved");

  const seen = [];
  let before;
  for (let n = await tourStep(page); n <= 5; n = await tourStep(page)) {
    if (seen.at(-1)?.n !== n) seen.push({ n, title: await guide(page).locator("strong").innerText() });
    if (n === 4 && /shared\.yaml/.test(await testid(page, "guide-do").innerText())) {
      const s = await state(page);
      assert.equal(find(s, "WebApp/default/waiting").status.phase, "Pending");
      assert.equal(condition(find(s, "WebApp/default/waiting"), "Ready").reason, "DependencyNotFound");
      assert.equal(find(s, "ConfigMap/default/waiting-config"), undefined);
    }
    if (n === 5) before = { state: await state(page), shown: await shownVersions(page) };
    await follow(page);
  }
  assert.deepEqual(seen, [
    { n: 1, title: "This is what is wanted." },
    { n: 2, title: "Watch the news travel." },
    { n: 3, title: "One pass, call by call." },
    { n: 4, title: "Let it run." },
    { n: 5, title: "Converged. Now run it again." },
  ]);

  // The cluster had converged before it was run again.
  for (const name of ["plain", "waiting", "outside"]) {
    const app = find(before.state, `WebApp/default/${name}`);
    assert.equal(condition(app, "Ready").status, "True");
    assert.equal(app.status.observedGeneration, app.metadata.generation);
    assert.equal(find(before.state, `ConfigMap/default/${name}-config`).data.message, app.spec.message);
  }
  assert.equal(find(before.state, "ConfigMap/default/waiting-config").data.base, "common ground");
  assert.deepEqual(before.state.cloud.map((item) => item.tags.webapp), ["default/outside"]);

  // Run again: no resourceVersion has moved, on the server or in the table.
  const after = await state(page);
  assert.deepEqual(versions(after), versions(before.state));
  assert.equal(after.revision, before.state.revision);
  assert.deepEqual(await shownVersions(page), before.shown);
  assert.ok(after.timeline.length > before.state.timeline.length, "it did run");
  assert.match(await guide(page).innerText(), /Every resourceVersion stayed\.[^]*Every key got one more pass, and not one of \d+ objects changed/);

  await testid(page, "guide-do").click();
  await page.waitForSelector('[data-testid="guide"][data-tour="0"]');
  await page.reload();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  assert.equal(await tourStep(page), 0, "the tour does not come back");
});

test("edit, apply with Ctrl-Enter, step, step call, run, and run again", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  const start = await state(page);
  assert.equal(await field(page, "WebApp/default/plain", "observedGeneration"), "1");
  const childBefore = await field(page, "ConfigMap/default/plain-config", "resourceVersion");

  // Applying stores what is wanted; nobody has acted on it yet.
  await applyText(page, "plain.yaml", edited);
  assert.equal(await field(page, "WebApp/default/plain", "generation"), "2");
  assert.equal(await field(page, "WebApp/default/plain", "observedGeneration"), "1");
  assert.match(await row(page, "WebApp/default/plain").innerText(), /behind/);
  assert.match(await page.locator(".apply-out").innerText(), /configured\s+WebApp\/plain/);
  const generation = row(page, "WebApp/default/plain").locator('[data-field="generation"]');
  assert.deepEqual([await generation.locator("del").innerText(), await generation.locator("ins").innerText()], ["1", "2"], "old and new are shown");
  assert.match(await testid(page, "wire").innerText(), /plain/);
  let s = await state(page);
  assert.equal(s.wire.length, 1);
  assert.equal(s.timeline.length, start.timeline.length + 1);
  assert.equal(find(s, "ConfigMap/default/plain-config").data.message, "hello");

  // Step: the change reaches the cache, and only its key the queue.
  s = await press(page, "step");
  const ready = s.queue.filter((item) => item.due <= s.clock);
  assert.deepEqual([s.wire.length, ready.map((item) => item.key)], [0, ["default/plain"]]);
  assert.match(await testid(page, "queue").innerText(), /plain/);

  // Call by call: the six answers fill in.
  s = await press(page, "step-call");
  assert.equal(s.pass.key, "default/plain");
  assert.match(await testid(page, "beat-desired").innerText(), /message\s*good evening/);
  assert.match(await testid(page, "beat-diff").innerText(), /data\.message\s+− hello\s*\+ good evening/);
  assert.match(await testid(page, "beat-action").innerText(), new RegExp(`ConfigMap/plain-config\\s+${childBefore}\\s*→\\s*\\d+\\s+updated`));
  assert.match(await testid(page, "beat-requeue").innerText(), /not decided yet/);
  assert.notEqual(await field(page, "ConfigMap/default/plain-config", "resourceVersion"), childBefore);

  // Run: it converges, and the status says of which generation.
  s = await press(page, "run");
  assert.equal(await field(page, "WebApp/default/plain", "observedGeneration"), "2");
  assert.deepEqual(find(s, "ConfigMap/default/plain-config").data, { message: "good evening", replicas: "2" });
  assert.doesNotMatch(await testid(page, "beat-requeue").innerText(), /not decided yet/);

  // Again: the guide offers it where nothing is left, and nothing moves.
  await testid(page, "guide-do").click();
  await guide(page).getByText("Every resourceVersion stayed").waitFor();
  const again = await state(page);
  assert.deepEqual(versions(again), versions(s));
  assert.equal(again.revision, s.revision);
});

test("time passes when one says so, and the timer finds what nobody tells of", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  await openFile(page, "shared.yaml");
  let s = await press(page, "apply");
  assert.match(await page.locator(".apply-out").innerText(), /created\s+ConfigMap\/shared/);
  // The news of it wakes nobody.
  while (s.wire.length > 0) s = await press(page, "step");
  assert.deepEqual(s.queue.filter((item) => item.due <= s.clock), []);
  const due = s.queue.find((item) => item.key === "default/waiting").due;
  assert.equal(find(s, "WebApp/default/waiting").status.phase, "Pending");

  s = await pick(page, "clock", "Advance 1 s");
  assert.equal(Date.parse(s.clock) <= Date.parse(due), true);
  assert.equal(find(s, "WebApp/default/waiting").status.phase, "Pending");
  s = await pick(page, "clock", /^To the next timer/);
  assert.equal(await testid(page, "clock").getAttribute("data-value"), s.clock);
  assert.equal(s.clock, due);
  assert.match(await testid(page, "queue").innerText(), /waiting[^]*ready/);
  s = await press(page, "step-call");
  assert.equal(s.pass.key, "default/waiting");
  s = await press(page, "run");
  assert.equal(find(s, "WebApp/default/waiting").status.phase, "Ready");
  assert.equal(find(s, "ConfigMap/default/waiting-config").data.base, "common ground");
});

test("any event that can happen may be picked, in the list and in the picture", async (t) => {
  const page = await lab.open(t);
  await page.locator("#menu-next").click();
  await page.locator(".menu-list [data-action]").first().waitFor();
  assert.deepEqual(await page.locator(".menu-list [data-action]").evaluateAll((all) => all.map((b) => b.dataset.action)),
    await page.evaluate(() => window.reconcile.enabled()));
  await page.keyboard.press("Escape");
  for (const n of [1, 2, 3]) {
    const s = await press(page, "step");
    assert.equal(s.queue.length, n);
  }
  // The picture lets the last key go first.
  await testid(page, "queue").locator('[data-action="start controller default/outside"]').click();
  assert.equal((await settled(page)).pass.key, "default/outside");
});

test("play goes on by itself until all is quiet", async (t) => {
  const page = await lab.open(t);
  await page.locator("#menu-play").click();
  await page.getByRole("button", { name: "100×" }).click();
  await page.locator("#menu-play", { hasText: "100×" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Play" }).click();
  await settled(page);
  await page.getByRole("button", { name: "Play" }).waitFor();
  const s = await state(page);
  assert.equal(find(s, "WebApp/default/plain").status.phase, "Ready");
  assert.equal(find(s, "WebApp/default/waiting").status.phase, "Pending");
});
