// What a long run costs: to open it again, and to go anywhere in it.

import { test } from "node:test";
import { engine, state, whenReady } from "./harness.mjs";
import { useLab } from "./lab.mjs";

const lab = useLab({ optimised: true });
const length = 5000;

const at = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
const line = (list) => `p50 ${at(list, 0.5).toFixed(1)} ms, p95 ${at(list, 0.95).toFixed(1)} ms, at most ${at(list, 1).toFixed(1)} ms (${list.length} times)`;

// Edits one of the lab's WebApps again and again and lets the controller follow, until there are so many steps.
async function makeLong(steps) {
  const edit = (n) => "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: outside\n  namespace: default\nspec:\n" +
    `  message: edit ${n}\n  loadBalancer: ${n % 2 === 0}\n`;
  for (let n = 0; (await window.reconcile.state()).timeline.length < steps; n++) {
    await window.reconcile.apply(edit(n));
    await window.reconcile.runToQuiet();
  }
}

// Goes to places all over the run and tells how long each took, until it was drawn.
async function seekAround(steps) {
  const times = [];
  for (let i = 1; i <= 60; i++) {
    // Far from the place before, and never the same: the golden ratio's multiples.
    const n = Math.floor(((i * 0.6180339887) % 1) * steps);
    const from = performance.now();
    await window.reconcile.seek(n);
    times.push(performance.now() - from);
  }
  return times;
}

test(`a run of ${length} steps`, async (t) => {
  const page = await lab.open(t);
  page.setDefaultTimeout(600000);
  await page.evaluate(makeLong, length);
  const steps = (await state(page)).timeline.length;
  t.diagnostic(`${steps} steps: a seek ${line(await page.evaluate(seekAround, steps))}`);
  const opened = [];
  for (let i = 0; i < 3; i++) {
    const from = Date.now();
    await page.reload();
    await whenReady(page);
    opened.push(Date.now() - from);
  }
  t.diagnostic(`${steps} steps: opened again ${line(opened)}`);
  t.diagnostic(`${steps} steps: a seek after that ${line(await page.evaluate(seekAround, steps))}`);
  const memory = await engine(page).evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  if (memory > 0) t.diagnostic(`${steps} steps: the engine's heap ${(memory / 1e6).toFixed(0)} MB of JavaScript`);
});
