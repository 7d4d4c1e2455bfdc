// What a program may call: window.reconcile in the page, and messages from a page that embeds it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { row, serve, state, testid, whenReady } from "./harness.mjs";
import { find, stored, useLab, versions } from "./lab.mjs";

const lab = useLab();
const call = (page, method, ...args) => page.evaluate(([m, a]) => window.reconcile[m](...a), [method, args]);
const fails = (page, method, ...args) => page.evaluate(([m, a]) => window.reconcile[m](...a).then(
  (value) => ({ value }), (err) => ({ error: err instanceof Error, message: err.message, reason: err.reason })), [method, args]);

test("every act is stored and shown once it resolves", async (t) => {
  const page = await lab.open(t);
  await page.evaluate(() => window.reconcile.ready);
  const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n  namespace: default\ndata:\n  k: v\n";
  for (const [method, ...args] of [
    ["step"], ["step", "crash controller"], ["restart"], ["stepCall"], ["apply", yaml], ["advance", "10s"], ["delete", "ConfigMap/default/one"],
    ["crash"], ["restart"], ["runToQuiet"],
  ]) {
    const before = (await state(page)).timeline.length;
    await call(page, method, ...args);
    const shown = await testid(page, "timeline").getAttribute("data-length");
    const { meta, choices } = await stored(page);
    const s = await state(page);
    assert.ok(s.timeline.length > before, method);
    assert.deepEqual([Number(shown), meta.head.step, Object.keys(choices).length], Array(3).fill(s.timeline.length), method);
    for (const [key, version] of Object.entries(versions(s)).filter(([k]) => k.startsWith("WebApp/"))) {
      assert.equal(await row(page, key).locator('[data-field="resourceVersion"]').getAttribute("data-value"), version);
    }
  }
  await call(page, "seek", 7);
  assert.equal((await state(page)).timeline.step, 7);
  await call(page, "fork");
  assert.deepEqual((await state(page)).timeline, { step: 7, length: 7 });
  assert.equal((await stored(page)).meta.head.step, 7);
});

test("state says what is where", async (t) => {
  const page = await lab.open(t);
  let s = await state(page);
  assert.deepEqual(Object.keys(s).sort(), ["cache", "clock", "cloud", "controller", "objects", "pass", "queue", "revision", "storage", "timeline", "wire"]);
  assert.deepEqual([s.pass, s.cache, s.queue, s.cloud, s.controller, s.storage], [null, [], [], [], "running", "saved"]);
  assert.equal(s.wire.length, 3);
  await call(page, "stepCall");
  s = await state(page);
  assert.equal(s.cache.length, 3);
  assert.ok(s.queue.every((item) => item.key && item.due && item.failures === 0 && item.why.length > 0));
  for (const part of ["key", "calls", "desired", "observed", "diff", "action"]) assert.ok(part in s.pass, part);
  await call(page, "runToQuiet");
  s = await state(page);
  for (const part of ["requeue", "status"]) assert.ok(part in s.pass, part);
  assert.deepEqual(Object.keys(s.cloud[0]).sort(), ["address", "id", "name", "tags", "type"]);
});

test("of several documents the refused one rejects, and the others are stored", async (t) => {
  const page = await lab.open(t);
  const app = (name, spec) => `apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: ${name}\n  namespace: default\nspec: ${spec}\n`;
  const answer = await fails(page, "apply", [app("one", "{message: a}"), app("two", "{}"), app("three", "{message: c}")].join("---\n"));
  assert.equal(answer.reason, "Invalid");
  assert.match(answer.message, /spec\.message: Required value/);
  const names = (await state(page)).objects.filter((o) => o.kind === "WebApp").map((o) => o.metadata.name);
  assert.ok(names.includes("one") && names.includes("three") && !names.includes("two"), names.join());
});

test("what is refused rejects with an Error that has a message and a reason, and changes nothing", async (t) => {
  const page = await lab.open(t);
  const before = await state(page);
  for (const [reason, method, ...args] of [
    ["BadInput", "apply", "a: ["],
    ["BadInput", "apply", ""],
    ["Invalid", "apply", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: x\n  namespace: default\nspec: {}\n"],
    ["NotFound", "delete", "WebApp/default/nobody"],
    ["BadInput", "delete", "nobody"],
    ["BadInput", "delete"],
    ["BadInput", "step", "dance"],
    ["NotEnabled", "step", "start controller default/nobody"],
    ["NotEnabled", "step", "restart controller"],
    ["BadInput", "advance", "soon"],
    ["BadInput", "advance"],
    ["BadInput", "seek", before.timeline.length + 1],
    ["BadInput", "seek", "first"],
    ["BadInput", "seek"],
    ["BadInput", "load", ""],
    ["BadInput", "report", "pdf"],
  ]) {
    const answer = await fails(page, method, ...args);
    assert.deepEqual({ ...answer, message: typeof answer.message }, { error: true, message: "string", reason }, `${method} ${args}: ${JSON.stringify(answer)}`);
    assert.notEqual(answer.message, "");
  }
  assert.deepEqual(await state(page), before);
  await call(page, "crash");
  assert.equal((await fails(page, "crash")).reason, "NotEnabled");
  assert.equal((await fails(page, "step")).reason, "NotEnabled");
});

test("calls are served in their order", async (t) => {
  const page = await lab.open(t);
  const answers = await page.evaluate(() => Promise.all([
    window.reconcile.step(), window.reconcile.step(), window.reconcile.crash(), window.reconcile.state(), window.reconcile.restart(), window.reconcile.state()]));
  assert.deepEqual(answers.map((a) => [a].flat()[0].n ?? a.controller), [6, 7, 8, "crashed", 9, "running"]);
});

// A page that embeds the playground and keeps what it is told.
const parent = (src) => `<!DOCTYPE html><title>embedding</title><iframe src="${src}"></iframe><script src=parent.js></script>`;
const parentScript = `
let next = 0;
const waiting = new Map();
globalThis.heard = [];
addEventListener("message", ({ data }) => {
  globalThis.heard.push(data);
  waiting.get(data.reconcile?.id)?.(data.reconcile);
});
globalThis.ask = (method, ...args) => new Promise((resolve) => {
  waiting.set(++next, resolve);
  document.querySelector("iframe").contentWindow.postMessage({ reconcile: { id: next, method, args } }, "*");
});`;

test("an argument that is no JSON rejects, and the page goes on", async (t) => {
  const page = await lab.open(t);
  const answers = await page.evaluate(async () => {
    const knot = {};
    knot.knot = knot;
    const calls = [() => window.reconcile.apply(knot), () => window.reconcile.seek(1n)];
    return Promise.all(calls.map((call) => call().then(() => "resolved", (err) => err instanceof Error && err.message.length > 0 && err.reason)));
  });
  assert.deepEqual(answers, ["BadInput", "BadInput"]);
  assert.equal((await state(page)).timeline.length, 5);
});

async function embed(t, site, src) {
  site.overlay.set("parent.html", parent(src));
  site.overlay.set("parent.js", parentScript);
  const context = await lab.browser.newContext({ serviceWorkers: "block" });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${site.origin}/parent.html`);
  const frame = page.frames()[1];
  await whenReady(frame);
  return page;
}

test("a page of the same origin asks by messages", async (t) => {
  const page = await embed(t, lab.site, "./");
  const ask = (...args) => page.evaluate((a) => globalThis.ask(...a), args);
  assert.ok(!("error" in await ask("ready")));
  assert.equal((await ask("step")).result.n, 6);
  const { result } = await ask("state");
  assert.equal(find(result, "WebApp/default/plain").metadata.generation, 1);
  assert.deepEqual((await ask("delete", "WebApp/default/nobody")).error, { message: 'webapps.lab.example.com "nobody" not found', reason: "NotFound" });
  assert.equal((await ask("constructor")).error.reason, "BadInput");
  const knot = await page.evaluate(() => {
    const args = [1n];
    return Promise.all([globalThis.ask("seek", ...args), globalThis.ask("state")]);
  });
  assert.deepEqual([knot[0].error.reason, knot[1].result.timeline.step], ["BadInput", 6]);
});

test("a page of another origin asks only where the playground was opened for it", async (t) => {
  const other = await serve(lab.site.dir);
  t.after(() => other.close());
  const allowed = await embed(t, other, `${lab.site.url}?embed=${encodeURIComponent(other.origin)}`);
  assert.equal((await allowed.evaluate(() => globalThis.ask("state"))).result.controller, "running");

  const refused = await embed(t, other, `${lab.site.url}?embed=https://somewhere.example`);
  await refused.evaluate(() => void globalThis.ask("step"));
  // The messages of a window come in their order: what the page says of itself shows that it passed over the question.
  const frame = refused.frames()[1];
  await frame.evaluate(() => new Promise((resolve) => {
    addEventListener("message", resolve, { once: true });
    postMessage("last");
  }));
  assert.equal((await frame.evaluate(() => window.reconcile.state())).timeline.length, 5);
  assert.deepEqual(await refused.evaluate(() => globalThis.heard), []);
});
