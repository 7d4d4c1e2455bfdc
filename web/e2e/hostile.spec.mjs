// Hostile text is text wherever it comes from: nothing of it runs, and no element is made of it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { state, testid } from "./harness.mjs";
import { applyText, find, key, openFile, pick, press, settled, useLab } from "./lab.mjs";

const lab = useLab();

// Each would call hit() in its own way, if it became markup, a style or an address.
const payloads = [
  "<img src=x onerror=hit()>",
  "\"'><script>hit()</script><svg onload=hit()>",
  "[x](javascript:hit()) ![x](x:x) `</code><img src=x onerror=hit()>` | <b>",
  "</title></textarea></style></pre><iframe src=javascript:parent.hit()>",
  "&lt;img src=x onerror=hit()&gt; {{7*7}} ${hit()}",
  "<details open ontoggle=hit()>\u202e",
];
const [img] = payloads;
const quoted = (text) => JSON.stringify(text);

async function open(t) {
  const page = await lab.open(t);
  await page.evaluate(() => {
    globalThis.hits = 0;
    globalThis.hit = () => globalThis.hits++;
    document.addEventListener("securitypolicyviolation", () => globalThis.hits++);
  });
  return page;
}

// What must not have come of it. The page's own scripts and signs, and its one link, stay.
async function harmless(page, where) {
  const found = await page.evaluate(() => {
    const all = [];
    const look = (root) => {
      for (const el of root.querySelectorAll("*")) {
        all.push(el);
        if (el.shadowRoot) look(el.shadowRoot);
      }
    };
    look(document);
    return {
      hits: globalThis.hits,
      // The editor has empty images of its own, without a source, around what it draws specially.
      elements: all.filter((el) => el.matches("#app :is(script, style, link, form, a:not([href^=fidelity]), details:not(.whole), b), img:not(.cm-widgetBuffer:not([src])), iframe, object, embed")).map((el) => el.outerHTML),
      handlers: all.flatMap((el) => Array.from(el.attributes)).filter((a) => a.name.startsWith("on")).map((a) => a.name),
    };
  });
  assert.deepEqual(found, { hits: 0, elements: [], handlers: [] }, where);
  assert.deepEqual(page.problems, [], where);
}

// Looks at everything that shows an object, an event or a report.
async function lookAround(page) {
  for (const tab of ["log", "report", "timeline"]) {
    await page.locator(`#tab-${tab}`).click();
    await settled(page);
    await harmless(page, tab);
  }
  for (const view of ["Cache", "Both", "Server"]) {
    await page.getByRole("button", { name: view, exact: true }).click();
    await harmless(page, view);
  }
  await page.locator("#menu-next").click();
  await harmless(page, "the list of what can happen");
  await page.keyboard.press("Escape");
  for (const line of await page.locator(".log-line").all()) await line.hover();
}

test("in messages, labels, annotations, data and the child that carries them on", async (t) => {
  const page = await open(t);
  await press(page, "run");
  for (const [n, text] of payloads.entries()) {
    await applyText(page, "plain.yaml", `apiVersion: lab.example.com/v1
kind: WebApp
metadata:
  name: plain
  namespace: default
  annotations:
    example.com/note: ${quoted(text)}
spec:
  message: ${quoted(text)}
  configRef: ${quoted(text)}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: own-${n}
  namespace: default
data:
  k: ${quoted(text)}
`);
    const s = await state(page);
    assert.equal(find(s, "WebApp/default/plain").spec.message, text);
    assert.equal(find(s, `ConfigMap/default/own-${n}`).data.k, text);
    await page.locator(`[id="object-ConfigMap/default/own-${n}"]`).click();
    await settled(page);
    assert.ok((await testid(page, "detail").innerText()).includes("<") || n === 4);
    await harmless(page, text);
    await press(page, "step-call");
    await harmless(page, text);
    if (n % 3 === 0) await press(page, "run");
  }
  await press(page, "run");
  await lookAround(page);
});

test("in names, kinds and fields that the server refuses, and in text that does not parse", async (t) => {
  const page = await open(t);
  const head = (name, extra = "") => `apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: ${name}\n  namespace: default\n${extra}spec:\n  message: m\n`;
  for (const text of payloads) {
    for (const [where, yaml] of [
      ["name", head(quoted(text))],
      ["label", head("plain", `  labels:\n    ${quoted(text)}: ${quoted(text)}\n`)],
      ["finalizer", head("plain", `  finalizers: [${quoted(text)}]\n`)],
      ["kind", `apiVersion: v1\nkind: ${quoted(text)}\nmetadata:\n  name: x\n`],
      ["group", `apiVersion: ${quoted(`${text}/v1`)}\nkind: WebApp\nmetadata:\n  name: x\n`],
      ["enum", head("plain").replace("message: m", `message: m\n  replicas: ${quoted(text)}`)],
    ]) {
      const refused = await page.evaluate((y) => window.reconcile.apply(y).then(() => null, (err) => err.message), yaml);
      assert.ok(refused, `${where}: ${text}`);
    }
  }
  for (const yaml of [head(quoted(img)), `${img}: [`, `a: ${img}: b`]) {
    await applyText(page, "plain.yaml", yaml);
    assert.ok(await testid(page, "apply-error").isVisible());
    await testid(page, "editor").locator(".cm-lint-marker-error").first().hover({ timeout: 3000 }).catch(() => {});
    await harmless(page, yaml);
  }
  for (const [method, ...args] of [["delete", `${img}/default/x`], ["delete", `WebApp/default/${img}`], ["step", img], ["advance", img], ["load", img], ["report", img]]) {
    const err = await page.evaluate(([m, a]) => window.reconcile[m](...a).then(() => null, (e) => ({ message: e.message, reason: e.reason })), [method, args]);
    assert.ok(err?.message && err.reason, method);
  }
  await harmless(page, "what calls said");
});

test("in names of files, titles and everything else of a scenario that was imported", async (t) => {
  const page = await open(t);
  const doc = `${img}
-- scenario.yaml --
name: hostile
title: ${quoted(payloads[1])}
controllers:
- name: controller
  for: webapps.lab.example.com
  owns: [configmaps]
  reconciler: webapp
-- cluster/crd.yaml --
${await page.evaluate(async () => {
    const crd = (await window.reconcile.state()).objects.find((o) => o.kind === "CustomResourceDefinition");
    return JSON.stringify({ apiVersion: crd.apiVersion, kind: crd.kind, metadata: { name: crd.metadata.name }, spec: crd.spec });
  })}
-- files/${payloads[0].replaceAll("/", "")}.yaml --
apiVersion: lab.example.com/v1
kind: WebApp
metadata:
  name: hostile
  namespace: default
spec:
  message: ${quoted(payloads[2])}
`;
  await page.locator("#menu-export").click();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import a cluster" }).click()]);
  await chooser.setFiles({ name: `${payloads[0].replaceAll("/", "")}.txtar`, mimeType: "text/plain", buffer: Buffer.from(doc) });
  await testid(page, "confirm").waitFor();
  assert.ok((await page.getByRole("dialog").innerText()).includes("<img"));
  await harmless(page, "the question before an import");
  await testid(page, "confirm").click();
  await settled(page);
  assert.equal(await page.locator(".toast-fault").count(), 0, await page.locator(".toasts").innerText());
  assert.equal(await testid(page, "scenario").locator("option:checked").innerText(), payloads[1]);
  const name = `${payloads[0].replaceAll("/", "")}.yaml`;
  await page.locator(".file").filter({ hasText: name }).click();
  await harmless(page, "the name of a file");
  await press(page, "apply");
  await press(page, "run");
  assert.ok(find(await state(page), "ConfigMap/default/hostile-config"));
  await page.getByRole("button", { name: `Remove ${name}` }).click();
  await harmless(page, "the question before a file goes");
  await page.keyboard.press("Escape");
  await lookAround(page);
});

test("in a report that is opened on its own", async (t) => {
  const page = await open(t);
  await openFile(page, "plain.yaml");
  await applyText(page, "plain.yaml", `apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\n  annotations:\n    a: ${quoted(payloads[1])}\nspec:\n  message: ${quoted(payloads[3] + img)}\n`);
  await press(page, "run");
  await key(page, "m");
  const html = await page.evaluate(() => window.reconcile.report("html"));
  const dir = mkdtempSync(join(tmpdir(), "reconcile-hostile-"));
  const context = await lab.browser.newContext();
  t.after(async () => {
    await context.close();
    rmSync(dir, { recursive: true });
  });
  // Once as it is, once without its policy: the text alone must be harmless.
  for (const text of [html, html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")]) {
    writeFileSync(join(dir, "report.html"), text);
    const alone = await context.newPage();
    const heard = [];
    alone.on("console", (message) => heard.push(message.text()));
    alone.on("pageerror", (err) => heard.push(err.message));
    alone.on("request", (request) => heard.push(request.url()));
    await alone.addInitScript(() => { globalThis.hit = () => console.log("hit"); });
    await alone.goto(pathToFileURL(join(dir, "report.html")).href);
    assert.deepEqual(heard, [pathToFileURL(join(dir, "report.html")).href]);
    assert.equal(await alone.locator("img, script, iframe, svg, a[href^=javascript]").count(), 0);
    assert.ok((await alone.locator("body").innerText()).includes(img));
    await alone.close();
  }
  await pick(page, "export", "Report as HTML");
  await harmless(page, "a report that was made");
});

test("what is in a bundle stays in its folder, whatever its names are", async (t) => {
  const page = await open(t);
  const packed = await page.evaluate(async () => {
    const { contents } = await reconcileBoot.later("bundle.js");
    const from = {
      name: "../../up", env: "", script: "a.sh", files: [{ name: "a.sh", text: "" }, { name: "../../.profile.yaml", text: "" }, { name: "C:\\\\x.yml", text: "" }],
      source: "-- cluster/../../crd.yaml --\n-- download/../../etc/x --\n-- download//etc/y --\n-- download/cmd/main.go --\n",
    };
    return [contents("lab", from), contents("project", from), contents("project", { ...from, name: "constructor" })];
  });
  for (const { name, files } of packed) {
    const folder = name.replace(/\.zip$/, "");
    assert.match(folder, /^[\w.-]+-(bundle|project)$/);
    for (const f of files) {
      assert.ok(f.name.startsWith(`${folder}/`) && !f.name.includes("\\") && f.name.split("/").every((part) => part && !/^\.+$/.test(part)), f.name);
    }
  }
  assert.ok(packed[1].files.some((f) => f.name.endsWith("-project/cmd/main.go")));
});
