// The page comes up on any static host, and says in plain words what is missing where it cannot.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { axe, dist, engine, launch, openPage, serve, start, until, whenReady } from "./harness.mjs";

const bootText = (page) => page.locator("#boot-text").textContent();

test("comes up on a host that compresses nothing", async (t) => {
  const { page, site } = await start(t);
  assert.ok(await page.locator("#boot").isHidden());
  assert.ok(site.requests.includes("/app.wasm.gz"));
  assert.ok(!site.requests.includes("/app.wasm"), "the unpacked module is not asked for");
});

test("comes up below a subpath", async (t) => {
  const { page, site } = await start(t, { prefix: "/some/folder/" });
  assert.equal(new URL(page.url()).pathname, "/some/folder/");
  assert.deepEqual(site.requests.filter((path) => !path.startsWith("/some/folder/")), []);
});

test("comes up on a host that marks .gz files as encoded", async (t) => {
  await start(t, { encoded: true });
});

test("comes up in a browser without DecompressionStream", async (t) => {
  const { site } = await start(t, { init: () => delete globalThis.DecompressionStream });
  assert.ok(site.requests.includes("/app.wasm"));
});

test("a browser without DecompressionStream asks for no packed form of a further module either", async (t) => {
  const hash = (text) => createHash("sha256").update(text).digest("hex");
  const read = (name) => readFileSync(join(dist, name), "utf8");
  const worker = `delete self.DecompressionStream;\n${read("worker.js")}`;
  const overlay = new Map([["worker.js", worker], ["sw.js", read("sw.js").replace(hash(read("worker.js")), hash(worker))]]);
  const { site, page } = await start(t, {
    overlay,
    init: () => {
      delete globalThis.DecompressionStream;
      const before = globalThis.fetch;
      globalThis.fetched = [];
      globalThis.fetch = (...args) => {
        globalThis.fetched.push(String(args[0]));
        return before(...args);
      };
    },
  });
  await until("the service worker is in front of the page", () => page.evaluate(() => navigator.serviceWorker.controller !== null));
  const schema = "{type: object, properties: {spec: {type: object, x-kubernetes-validations: [{rule: 'true'}]}}}";
  await page.evaluate((text) => window.reconcile.apply(text), `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Box, plural: boxes}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ${schema}}}]}
`);
  assert.ok(site.requests.includes("/rules.wasm"));
  assert.deepEqual(await page.evaluate(() => globalThis.fetched.filter((url) => url.includes("rules.wasm"))), []);
});

test("loads the module once and runs it twice", async (t) => {
  // The service worker asks for its own copy, which a host that allows caching does not see.
  const { site, page } = await start(t, { contextOptions: { serviceWorkers: "block" } });
  assert.ok(await page.evaluate(() => globalThis.reconcileBoot.receive !== null));
  assert.equal(site.requests.filter((path) => path.includes("app.wasm")).length, 1);
  assert.ok(engine(page));
});

test("shows how much has been loaded", async (t) => {
  const whole = readFileSync(join(dist, "app.wasm.gz"));
  let finish;
  const half = (response) => {
    response.writeHead(200, { "content-type": "application/gzip" });
    response.write(whole.subarray(0, whole.length / 2));
    finish = () => response.end(whole.subarray(whole.length / 2));
  };
  const { page } = await start(t, { ready: false, overlay: new Map([["app.wasm.gz", half]]) });
  await until("something is loaded", () => page.evaluate(() => document.getElementById("boot-progress").value > 0));
  assert.match(await bootText(page), /^Loading the cluster: \d+\.\d of \d+\.\d MB$/);
  assert.deepEqual(await axe(page), []);
  finish();
  await whenReady(page);
});

for (const [what, init, expected] of [
  ["WebAssembly", () => delete globalThis.WebAssembly, /does not run WebAssembly/],
  ["Web Workers", () => delete globalThis.Worker, /no Web Workers/],
]) {
  test(`says that ${what} is missing`, async (t) => {
    const { page } = await start(t, { ready: false, init });
    assert.match(await bootText(page), expected);
    assert.deepEqual(await axe(page), []);
  });
}

test("says what to do when opened as a file", async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  await page.goto(pathToFileURL(join(dist, "index.html")).href);
  await page.waitForSelector("#boot-text[role=alert]");
  assert.match(await bootText(page), /make run.*static server/);
});

test("says so when JavaScript is off", async (t) => {
  const { page } = await start(t, { ready: false, contextOptions: { javaScriptEnabled: false } });
  assert.match(await page.locator("#boot").innerText(), /JavaScript is switched off/);
});

test("says what could not be loaded", async (t) => {
  const { page } = await start(t, { ready: false, overlay: new Map([["editor.js", null]]) });
  await page.waitForSelector("#boot-text[role=alert]");
  assert.match(await bootText(page), /editor\.js could not be loaded.*reload/);
  page.problems.length = 0;
});

test("does not run files of two versions together", async (t) => {
  const overlay = new Map();
  const site = await serve(dist, { overlay });
  const browser = await launch();
  t.after(async () => {
    await browser.close();
    await site.close();
  });
  overlay.set("index.html", readFileSync(join(dist, "index.html"), "utf8").replace(/data-version="\w+"/, 'data-version="older"'));
  const page = await openPage(browser, site.url, { ready: false });
  await page.waitForSelector("#boot-text[role=alert]");
  assert.match(await bootText(page), /two versions/);
  overlay.clear();
  await page.reload();
  await whenReady(page);
});
