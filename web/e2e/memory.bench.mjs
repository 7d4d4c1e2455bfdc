// What 10,000 objects of 1 KB take of WebAssembly's memory, in the engine and in the page. A memory of
// WebAssembly never shrinks: the figures are the most that was ever needed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dist, engine, state } from "./harness.mjs";
import { useLab } from "./lab.mjs";

function noteMemory() {
  const instantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate.apply(WebAssembly, args);
    globalThis.wasmMemory = (result.instance ?? result).exports.mem;
    return result;
  };
}

const overlay = new Map([["worker.js", `(${noteMemory})();\n${readFileSync(join(dist, "worker.js"), "utf8")}`]]);
const lab = useLab({ overlay, optimised: true });

const taken = () => globalThis.wasmMemory.buffer.byteLength / 1e6;
const figures = async (page) => {
  const [inEngine, inPage] = [await engine(page).evaluate(taken), await page.evaluate(taken)];
  return `engine ${inEngine.toFixed(0)} MB, page ${inPage.toFixed(0)} MB`;
};

const text = "what it says, ".repeat(30);
const webApp = (i) => `apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: app-${i}\n  namespace: default\n  labels: {app: web, group: g${i % 100}}\nspec:\n  message: "number ${i}: ${text}"\n`;
const configMap = (i) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-${i}\n  namespace: default\n  labels: {app: web, group: g${i % 100}}\ndata:\n  message: "number ${i}: ${text}"\n`;
const crowd = (from, n) => Array.from({ length: n }, (_, i) => ((from + i) % 2 ? webApp(from + i) : configMap(from + i))).join("---\n");

test("10,000 objects of 1 KB in a scenario", async (t) => {
  const page = await lab.open(t, { init: noteMemory });
  t.diagnostic(`the lab: ${await figures(page)}`);
  const document = readFileSync(join(import.meta.dirname, "../../core/scenario/library/lab.txtar"), "utf8")
    .replace(/-- files\/[^]*$/, `-- cluster/crowd.yaml --\n${crowd(0, 10000)}`);
  await page.evaluate((doc) => window.reconcile.load(doc), document);
  t.diagnostic(`loaded: ${await figures(page)}`);
  for (let i = 0; i < 20; i++) await page.evaluate(() => window.reconcile.step());
  t.diagnostic(`after 20 steps: ${await figures(page)}`);
});

test("10,000 objects of 1 KB applied, 1,000 at a time", async (t) => {
  const page = await lab.open(t, { init: noteMemory });
  for (let i = 0; i < 10000; i += 1000) await page.evaluate((yaml) => window.reconcile.apply(yaml), crowd(i, 1000));
  t.diagnostic(`applied: ${await figures(page)}`);
  const { objects } = await state(page);
  const bytes = objects.reduce((sum, o) => sum + JSON.stringify(o).length, 0);
  t.diagnostic(`${objects.length} objects, ${(bytes / objects.length).toFixed(0)} bytes each as JSON`);
});
