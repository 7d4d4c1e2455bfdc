// Bash in the page: the larger engine takes the place of the one that was loaded first, and nothing is lost by it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, field, out, root, state, testid, until } from "./harness.mjs";
import { editorText, find, openFile, openScenario, stored, useLab } from "./lab.mjs";

const lab = useLab();
const script = readFileSync(join(root, "core/script/testdata/lab/compare.sh"), "utf8");
const asked = () => lab.site.requests.filter((path) => path.includes("scripts.wasm")).length;

// A call of window.reconcile; an error is returned as "REASON: message".
const call = (page, method, ...args) => page.evaluate(async ([m, a]) => {
  try {
    return await window.reconcile[m](...a);
  } catch (err) {
    return `${err.reason}: ${err.message}`;
  }
}, [method, args]);

// Counts the modules that the page compiles itself.
function countCompiled() {
  globalThis.compiled = 0;
  const compile = WebAssembly.compileStreaming;
  WebAssembly.compileStreaming = (source) => {
    globalThis.compiled++;
    return compile(source);
  };
}

test("scripts run in the page, are graded and proved, and are still there after a reload", async (t) => {
  const page = await lab.open(t, { init: countCompiled });
  await call(page, "step");
  await call(page, "step");
  const before = await state(page);
  assert.equal(asked(), 0, "a first visit loads what runs scripts");

  const got = await call(page, "kubectl", "get webapps plain -o jsonpath={.spec.message}");
  assert.deepEqual(got, { stdout: "hello", stderr: "", code: 0 });
  assert.equal(asked(), 1);
  assert.equal(await page.evaluate(() => globalThis.compiled), 1, "what runs scripts is compiled off the page's thread");
  const after = await state(page);
  assert.equal(after.timeline.length, before.timeline.length + 1, "changing the engines is no step");
  assert.deepEqual(after.objects, before.objects);
  assert.deepEqual(await call(page, "kubectl", "get pods"), {
    stdout: "", stderr: 'error: the server doesn\'t have a resource type "pods"\n', code: 1,
  });

  assert.match(await call(page, "setScript", "#!/bin/bash\n\nsleep 1 &\n"), /^BadInput: reconcile\.sh:3:\d+: .*background.*instead: /);
  assert.equal((await state(page)).timeline.length, after.timeline.length + 1, "a refused script is no step");
  await call(page, "setScript", script);
  await page.locator('.file[data-file="reconcile.sh"]').waitFor();
  await call(page, "runToQuiet");
  let s = await state(page);
  assert.equal(find(s, "WebApp/default/plain").status.phase, "Ready");
  assert.equal(find(s, "ConfigMap/default/plain-config").data.message, "hello");
  assert.equal(s.cloud.length, 1);
  assert.equal(await field(page, "WebApp/default/outside", "finalizers"), "lab.example.com/cloud");

  const grade = await call(page, "grade", "lab");
  assert.equal(grade.schema, "reconcile.report/v1");
  assert.deepEqual(grade.findings, []);
  const proof = await call(page, "prove", { faults: "lost-reply" });
  assert.deepEqual(proof.findings, []);
  assert.equal(proof.verdict, "clean");
  assert.ok(proof.bounds.runs > 50, `${proof.bounds.runs} runs`);
  await page.locator("#tab-prove").click();
  assert.match(await testid(page, "verdict").innerText(), new RegExp(`${proof.bounds.runs} runs`));

  await page.reload();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  s = await state(page);
  assert.equal(find(s, "WebApp/default/plain").status.phase, "Ready");
  await call(page, "apply", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: plain}\nspec: {message: again}\n");
  await call(page, "runToQuiet");
  s = await state(page);
  assert.equal(find(s, "ConfigMap/default/plain-config").data.message, "again", "after a reload the script still reconciles");
});

test("a shared link brings the script that ran", async (t) => {
  const page = await lab.open(t);
  await call(page, "setScript", script);
  await call(page, "runToQuiet");
  const link = await call(page, "link");
  const other = await lab.open(t, { url: link });
  const file = other.locator('.file[data-file="reconcile.sh"]');
  await file.waitFor();
  await file.getByText("runs").waitFor();
  await openFile(other, "reconcile.sh");
  const first = script.slice(0, 200);
  await until("its text can be read", async () => (await editorText(other)).startsWith(first));
});

test("a stored cluster that could not be opened is not written over when the scripts come after all", async (t) => {
  const page = await lab.open(t);
  await call(page, "setScript", script);
  await call(page, "runToQuiet");
  const before = await stored(page);
  await page.route("**/scripts.wasm*", (route) => route.abort());
  await page.reload();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  let s = await state(page);
  assert.deepEqual([s.storage, s.timeline.length], ["memory", 5], "without what runs its script it is opened all the same");
  page.problems.splice(0);
  await page.unroute("**/scripts.wasm*");
  assert.equal((await call(page, "kubectl", "get webapps -o name")).code, 0);
  await call(page, "step");
  s = await state(page);
  assert.deepEqual([s.storage, s.timeline.length], ["memory", 7]);
  const after = await stored(page);
  for (const store of ["choices", "objects", "files", "cloud"]) assert.deepEqual(after[store], before[store], store);
  assert.deepEqual(after.meta.head, before.meta.head);
  await page.reload();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  s = await state(page);
  assert.deepEqual([s.storage, find(s, "WebApp/default/plain").status.phase], ["saved", "Ready"]);
});

test("a script without end is stopped, and the page goes on", async (t) => {
  const page = await lab.open(t);
  await call(page, "setScript", "while :; do :; done\n");
  for (let i = 0; i < 12; i++) await call(page, "step");
  const s = await state(page);
  const log = JSON.stringify(await page.evaluate(() => window.reconcile.report("json")));
  assert.ok(s.timeline.length >= 10);
  assert.match(log, /stopped after 100,000 commands/);
  await call(page, "setScript", script);
  await call(page, "runToQuiet");
  assert.equal(find(await state(page), "WebApp/default/plain").status.phase, "Ready");
});

test("the terminal runs a pipeline by keyboard alone", async (t) => {
  const page = await lab.open(t);
  await page.locator("#tab-terminal").click();
  const terminal = testid(page, "terminal");
  await terminal.getByRole("combobox").or(terminal.getByRole("textbox")).first().fill("kubectl get webapps -o json | jq -c '[.items[].metadata.name]'");
  await page.keyboard.press("Enter");
  await terminal.getByText('["outside","plain","waiting"]').waitFor();
});

test("an incident of the library opens with its story, and its cures are at hand", async (t) => {
  const page = await lab.open(t);
  const names = await testid(page, "scenario").locator("option").evaluateAll((options) => options.map((o) => o.value));
  assert.equal(names.filter((n) => n.startsWith("incident-")).length, 17, names.join());
  assert.equal(names.filter((n) => /^lab-\d$/.test(n)).length, 10, names.join());
  await openScenario(page, "incident-status-loop");
  await page.locator("#library").click();
  const sheet = page.locator("dialog[open], [role=dialog]").first();
  await sheet.getByText("A controller that never rests").first().waitFor();
  assert.deepEqual(await axe(page), []);
  await page.screenshot({ path: join(out, "incident.png") });
  await page.keyboard.press("Escape");
  await call(page, "runToQuiet");
  assert.ok((await state(page)).timeline.length > 50, "the loop does not run");
  await page.screenshot({ path: join(out, "loop.png") });
  await page.locator("#library").click();
  await sheet.getByText("Write only what differs").first().waitFor();
});
