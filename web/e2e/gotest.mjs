// Runs the tests of a Go package in a Web Worker of a real browser, where the package's own code runs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildGo, dist, launch, openPage, serve } from "./harness.mjs";

const worker = `
"use strict";
self.addEventListener("unhandledrejection", (event) => { throw event.reason; });
const asked = new Map();
let next = 0;
// For tests that need what only the browser's driver can do; the answer comes once it is done.
globalThis.harness = (text) => new Promise((resolve) => {
  asked.set(++next, resolve);
  postMessage({ ask: text, id: next });
});
self.onmessage = async ({ data }) => {
  if (data.answer) {
    asked.get(data.answer)(data.result);
    return;
  }
  importScripts("wasm_exec.js");
  const decoder = new TextDecoder();
  let line = "";
  globalThis.fs.writeSync = (fd, bytes) => {
    const lines = (line + decoder.decode(bytes)).split("\\n");
    line = lines.pop();
    for (const text of lines) postMessage({ line: text });
    return bytes.length;
  };
  const go = new Go();
  go.argv = ["test", ...data.args];
  go.env = data.env;
  let code = 0;
  go.exit = (status) => { code = status; };
  await go.run(await WebAssembly.instantiate(data.module, go.importObject));
  postMessage({ code });
};
`;

const page = `
"use strict";
let compiled;
globalThis.startTest = (args, env) => new Promise(async (resolve) => {
  compiled ??= WebAssembly.compileStreaming(fetch("test.wasm"));
  const module = await compiled;
  const worker = globalThis.testWorker = new Worker("worker.js");
  worker.onmessage = async ({ data }) => {
    if (data.line !== undefined) globalThis.onLine(data.line);
    else if (data.ask) worker.postMessage({ answer: data.id, result: await globalThis.onAsk(data.ask) });
    else resolve(data.code);
  };
  worker.onerror = async (event) => {
    await globalThis.onLine("worker: " + event.message);
    resolve(-1);
  };
  worker.postMessage({ args, env, module });
});
`;

/** An overlay for serve that holds a page for the tests of the package. */
export function testPage(pkg) {
  return new Map([
    ["index.html", "<!DOCTYPE html><title>test</title><script src=page.js></script>"],
    ["page.js", page],
    ["worker.js", worker],
    ["wasm_exec.js", readFileSync(join(dist, "wasm_exec.js"))],
    ["test.wasm", buildGo(pkg, { test: true })],
  ]);
}

// Who hears what the tests of a page say: those that were started on it last.
const listeners = new WeakMap();

/**
 * Starts tests on an opened test page: args and env are those of the test binary, onLine gets each line
 * that it prints, onAsk what it asks of the harness. The result is a Promise of the exit status; it never
 * settles when the page or the worker is killed meanwhile.
 */
export async function startTest(page, { args = [], env = {}, onLine = () => {}, onAsk = () => {} }) {
  const known = listeners.has(page);
  listeners.set(page, { onLine, onAsk });
  if (!known) {
    await page.exposeFunction("onLine", (line) => listeners.get(page).onLine(line));
    await page.exposeFunction("onAsk", (text) => listeners.get(page).onAsk(text));
  }
  return page.evaluate(([a, e]) => globalThis.startTest(a, e), [args, env]);
}

/**
 * Registers every test of the package, but for those in except, as a test here; with only, just those.
 * A test may ask the harness: "quota N" sets the origin's quota to N bytes, -1 lifts it. Lines that begin
 * with BENCH are shown.
 */
export async function goTests(pkg, { except = [], only } = {}) {
  const site = await serve(dist, { overlay: testPage(pkg) });
  const browser = await launch();
  after(async () => {
    await browser.close();
    await site.close();
  });
  const runTests = async (args, t) => {
    const page = await openPage(browser, site.url, { ready: false });
    const devtools = await page.context().newCDPSession(page);
    const onAsk = async (text) => {
      const bytes = Number(text.replace("quota ", ""));
      await devtools.send("Storage.overrideQuotaForOrigin", { origin: site.origin, ...(bytes >= 0 && { quotaSize: bytes }) });
    };
    const lines = [];
    const code = await startTest(page, { args, onLine: (line) => lines.push(line), onAsk });
    await page.context().close();
    for (const line of lines.filter((text) => text.startsWith("BENCH "))) t?.diagnostic(line.slice("BENCH ".length));
    return { code, lines };
  };
  const { lines: names } = await runTests(["-test.list=^Test"]);
  for (const name of names.filter((line) => line.startsWith("Test") && !except.includes(line) && (only?.includes(line) ?? true))) {
    test(name, async (t) => {
      const { code, lines } = await runTests([`-test.run=^${name}$`, "-test.v"], t);
      assert.equal(code, 0, lines.join("\n"));
      assert.ok(lines.some((line) => line.startsWith(`--- PASS: ${name}`)), lines.join("\n"));
    });
  }
}
