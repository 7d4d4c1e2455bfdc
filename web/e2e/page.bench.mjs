// What the page costs: from navigation to ready, from a step to its picture, and one commit.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dist, engine, openPage, serve, state, until } from "./harness.mjs";
import { useLab } from "./lab.mjs";

// The engine's worker notes how long each transaction that writes takes, from its opening to its completion.
const noteCommits = `
globalThis.commits = [];
const open = IDBDatabase.prototype.transaction;
IDBDatabase.prototype.transaction = function (...args) {
  const tx = open.apply(this, args);
  if (args[1] === "readwrite") {
    const from = performance.now();
    tx.addEventListener("complete", () => globalThis.commits.push(performance.now() - from));
  }
  return tx;
};
`;
const overlay = new Map([["worker.js", noteCommits + readFileSync(join(dist, "worker.js"), "utf8")]]);
const lab = useLab({ overlay, optimised: true });

const at = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
const line = (list, unit = "ms") => `p50 ${at(list, 0.5).toFixed(1)} ${unit}, p95 ${at(list, 0.95).toFixed(1)} ${unit} (${list.length} times)`;

function noteReady() {
  new MutationObserver((_, observer) => {
    if (!("ready" in document.documentElement.dataset)) return;
    observer.disconnect();
    globalThis.readyAt = performance.now();
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-ready"] });
}

test("from navigation to ready", async (t) => {
  // Without the changed worker: the service worker keeps only files that are what they should be.
  const site = await serve(dist);
  t.after(() => site.close());
  const first = [];
  const again = [];
  for (let n = 0; n < 5; n++) {
    const page = await openPage(lab.browser, site.url, { init: noteReady });
    first.push(await page.evaluate(() => globalThis.readyAt));
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await page.reload();
    await until("it is ready", () => page.evaluate(() => globalThis.readyAt > 0));
    again.push(await page.evaluate(() => globalThis.readyAt));
    await page.context().close();
  }
  t.diagnostic(`a first visit: ${line(first)}`);
  t.diagnostic(`a further visit: ${line(again)}`);
});

// The lab with n objects in all: half of them WebApps that have yet to be reconciled.
function crowd(document, n) {
  const objects = [];
  for (let i = 0; i < n / 2; i++) {
    objects.push(`apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: app-${i}\n  namespace: default\nspec:\n  message: number ${i}\n`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-${i}\n  namespace: default\ndata:\n  k: v${i}\n`);
  }
  return document.replace(/-- files\/[^]*$/, `-- cluster/crowd.yaml --\n${objects.join("---\n")}`);
}

// Presses Step and tells when the change was in the document and when its frame had been painted.
function stepOnce() {
  return new Promise((resolve) => {
    const timeline = document.querySelector('[data-testid="timeline"]');
    const from = performance.now();
    let frames = 0;
    let going = true;
    const count = () => {
      frames++;
      if (going) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    new MutationObserver((_, observer) => {
      observer.disconnect();
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          going = false;
          resolve({ painted: performance.now() - from, frames });
        };
        channel.port2.postMessage(null);
      });
    }).observe(timeline, { attributes: true, attributeFilter: ["data-length"] });
    document.getElementById("step").click();
  });
}

for (const n of [100, 1000]) {
  test(`a step at ${n} objects`, async (t) => {
    const page = await lab.open(t);
    const text = crowd(readFileSync(join(import.meta.dirname, "../../core/scenario/library/lab.txtar"), "utf8"), n);
    await page.evaluate((doc) => window.reconcile.load(doc), text);
    const { objects } = await state(page);
    const devtools = await page.context().newCDPSession(page);
    // The thread's own time: what other programs do meanwhile does not count.
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => Object.fromEntries((await devtools.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value * 1000]));
    const busy = async (act) => {
      const before = await spent();
      const result = await act();
      const after = await spent();
      const part = (name) => after[name] - before[name];
      return { ...result, work: part("TaskDuration"), script: part("ScriptDuration"), style: part("RecalcStyleDuration"), layout: part("LayoutDuration") };
    };
    const idle = [];
    for (let i = 0; i < 20; i++) idle.push((await busy(() => page.evaluate(() => new Promise((r) => requestAnimationFrame(() => setTimeout(r)))))).work);
    await page.evaluate(async () => {
      for (let i = 0; i < 20; i++) await window.reconcile.step();
    });
    await engine(page).evaluate(() => { globalThis.commits.length = 0; });
    const steps = [];
    for (let i = 0; i < 150; i++) steps.push(await busy(() => page.evaluate(stepOnce)));
    t.diagnostic(`${objects.length} objects: main thread ${line(steps.map((s) => Math.max(0, s.work - at(idle, 0.5))))}`);
    const half = (part) => `${part} ${at(steps.map((s) => s[part]), 0.5).toFixed(1)}`;
    t.diagnostic(`${objects.length} objects: of it p50 ${half("script")} ms, ${half("style")} ms, ${half("layout")} ms; the rest is painting`);
    t.diagnostic(`${objects.length} objects: step to painted ${line(steps.map((s) => s.painted))}, ${line(steps.map((s) => s.frames), "frames")}`);
    t.diagnostic(`${objects.length} objects: commit ${line(await engine(page).evaluate(() => globalThis.commits))}`);
    const run = await page.evaluate(async () => {
      const from = performance.now();
      const events = await window.reconcile.runToQuiet();
      return { steps: events.length, time: performance.now() - from };
    });
    t.diagnostic(`${objects.length} objects: run to quiet ${run.steps} steps in ${run.time.toFixed(0)} ms, each stored and told: ${(run.steps / run.time * 1000).toFixed(0)} a second`);
  });
}
