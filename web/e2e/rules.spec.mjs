// Rules in CEL: their evaluator is a second WebAssembly module, loaded when a definition first has some.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dist, start, testid, until, whenReady } from "./harness.mjs";
import { applyText } from "./lab.mjs";

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Box, plural: boxes}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size:
                type: integer
                x-kubernetes-validations:
                - {rule: self % 2 == 0, message: size must be even}
              fixed:
                type: string
                x-kubernetes-validations:
                - {rule: self == oldSelf, message: fixed is immutable}
`;
const box = (spec) => `apiVersion: example.com/v1\nkind: Box\nmetadata:\n  name: a\nspec:\n  ${spec}\n`;

const apply = (page, text) => page.evaluate((t) => globalThis.reconcile.apply(t).then(() => "", (err) => `${err.reason}: ${err.message}`), text);
const asked = (site) => site.requests.filter((path) => path.includes("rules.wasm")).length;
const settled = (page) => page.evaluate(() => navigator.serviceWorker.ready.then((r) => Boolean(r.active)));
const kept = (page) => until("rules.wasm.gz is kept", () => page.evaluate(async () => {
  for (const name of await caches.keys()) {
    const keys = await (await caches.open(name)).keys();
    if (keys.some((r) => r.url.includes("rules.wasm.gz"))) return true;
  }
  return false;
}));

test("a rule is evaluated in the page, at the line that breaks it, after a reload and offline", async (t) => {
  const { page, site } = await start(t);
  assert.equal(asked(site), 0, "a first visit does not load it");
  assert.equal(await apply(page, crd), "");
  assert.ok(asked(site) > 0);
  await page.getByText("Loading the evaluator of CEL rules").waitFor({ state: "detached" });

  await applyText(page, "plain.yaml", box("size: 3"));
  await testid(page, "apply-error").getByText(/^line 6, column 9: .*size must be even/).waitFor();
  assert.equal(await apply(page, box("size: 3")), 'Invalid: Box.example.com "a" is invalid: spec.size: Invalid value: 3: size must be even');
  assert.equal(await apply(page, box("fixed: one")), "");
  assert.match(await apply(page, box("fixed: two")), /fixed is immutable/);

  assert.ok(await settled(page));
  await kept(page);
  site.down = true;
  await page.reload();
  await whenReady(page);
  assert.match(await apply(page, box("fixed: two")), /fixed is immutable/);
  assert.equal(await apply(page, box("size: 4")), "");
});

test("a key that is written otherwise is the same key", async (t) => {
  const { page, site } = await start(t);
  const escaped = crd.replaceAll("x-kubernetes-validations", '"x-kubernetes-valida\\u0074ions"');
  assert.ok(!escaped.includes("x-kubernetes-validations"));
  assert.equal(await apply(page, escaped), "");
  assert.ok(asked(site) > 0);
  assert.match(await apply(page, box("size: 3")), /size must be even/);
});

test("without a network a definition with rules is refused, and nothing is lost", async (t) => {
  const { page, site } = await start(t);
  assert.ok(await settled(page));
  const before = await page.evaluate(() => globalThis.reconcile.state().then((s) => s.timeline.length));
  site.down = true;
  const refused = await apply(page, crd);
  assert.match(refused, /^RulesNotLoaded: .*their evaluator has not been loaded in this browser yet\. Be online once and try again/);
  assert.equal(await page.evaluate(() => globalThis.reconcile.state().then((s) => s.timeline.length)), before);
  assert.equal(await apply(page, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"), "");
  site.down = false;
  assert.equal(await apply(page, crd), "");
  assert.match(await apply(page, box("size: 3")), /size must be even/);
  page.problems.splice(0);
});

test("a stored cluster with rules waits for their evaluator", async (t) => {
  const { page, site } = await start(t);
  assert.ok(await settled(page));
  assert.equal(await apply(page, crd), "");
  await kept(page);
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const r of await cache.keys()) if (r.url.includes("rules.wasm")) await cache.delete(r);
    }
  });
  site.down = true;
  await page.reload();
  await whenReady(page);
  await page.getByText("their evaluator could not be loaded").waitFor();
  site.down = false;
  await page.reload();
  await whenReady(page);
  assert.match(await apply(page, box("size: 3")), /size must be even/);
  page.problems.splice(0);
});

test("what was on its way when the service worker came is kept", async (t) => {
  const held = (name, type) => {
    let letGo;
    const until = new Promise((resolve) => { letGo = resolve; });
    const bytes = readFileSync(join(dist, name));
    const answer = (response) => until.then(() => response.writeHead(200, { "content-type": type }).end(bytes));
    return { entry: [name, answer], letGo };
  };
  const worker = held("sw.js", "text/javascript");
  const rules = held("rules.wasm.gz", "application/gzip");
  const { page, site } = await start(t, { overlay: new Map([worker.entry, rules.entry]) });
  const applied = apply(page, crd);
  await until("the evaluator is asked for", () => asked(site) > 0);
  worker.letGo();
  await until("the service worker is there", () => page.evaluate(() => navigator.serviceWorker.controller !== null));
  rules.letGo();
  assert.equal(await applied, "");
  await kept(page);
});
