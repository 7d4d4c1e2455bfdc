// What leaves the page as a file and comes back: the whole cluster, and the report.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { state, testid, until, whenReady } from "./harness.mjs";
import { applyText, download, editorText, key, openFile, press, settled, useLab } from "./lab.mjs";

const lab = useLab();

function exportAs(page, entry) {
  return download(page, async () => {
    await page.locator("#menu-export").click();
    await page.getByRole("button", { name: entry, exact: true }).click();
  });
}

async function chooseFile(page, name, text) {
  await page.locator("#menu-export").click();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import a cluster" }).click()]);
  await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
}

async function importFile(page, name, text) {
  await chooseFile(page, name, text);
  await testid(page, "confirm").waitFor();
  assert.match(await page.getByRole("dialog").innerText(), new RegExp(`Import ${name}\\?\\s+It holds a cluster, \\d+ steps into "Lab: three WebApps"`));
  await testid(page, "confirm").click();
  return settled(page);
}

test("the whole cluster goes into one file and comes back, here and elsewhere", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  await applyText(page, "plain.yaml", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\nspec:\n  message: exported\n");
  await press(page, "step-call");
  await page.evaluate(() => window.reconcile.seek(9));
  await press(page, "crash");
  const before = await state(page);
  const file = await exportAs(page, "Cluster as a file");
  assert.equal(file.name, "reconcile-cluster.json");
  const parsed = JSON.parse(file.text);
  assert.equal(parsed.format, "reconcile.cluster/v1");
  assert.equal(parsed.choices.length, before.timeline.length);
  assert.equal(parsed.branches.length, 1);

  const other = await lab.open(t);
  await press(other, "run");
  assert.deepEqual(await importFile(other, "mine.json", file.text), before);
  await openFile(other, "plain.yaml");
  assert.match(await editorText(other), /message: exported/);
  assert.match(await other.locator(".banner-info").innerText(), /The cluster was imported\./);
  assert.equal(await other.locator("#menu-branches").innerText(), "1 branch kept");
  // What was imported is what is stored: it exports as the very same bytes.
  assert.equal((await exportAs(other, "Cluster as a file")).text, file.text);
});

test("a damaged file is refused, and nothing is lost", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  const before = await state(page);
  const { text } = await exportAs(page, "Cluster as a file");
  for (const [name, damaged, said] of [
    ["changed.json", text.replace('"hello"', '"hullo"').replace("message: hello", "message: hullo"), /the file is damaged: its checksum is/],
    ["cut.json", text.slice(0, text.length / 2), /the file is no exported cluster: it ends too early/],
    ["newer.json", text.replace("reconcile.cluster/v1", "reconcile.cluster/v9"), /the file's format is "reconcile\.cluster\/v9"/],
    ["letter.txt", "Dear cluster,", /scenario\.yaml is missing/],
  ]) {
    assert.notEqual(damaged, text);
    await chooseFile(page, name, damaged);
    await page.locator(".toast-fault").filter({ hasText: said }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0, "nothing is asked");
    assert.deepEqual(await settled(page), before, name);
  }
  await page.reload();
  await whenReady(page);
  const after = await state(page);
  assert.deepEqual(after.objects, before.objects);
  assert.equal(after.timeline.length, before.timeline.length + 1);
});

test("starting over asks first, and keeps the run", async (t) => {
  const page = await lab.open(t);
  const fresh = await state(page);
  const before = await press(page, "run");
  await page.locator("#menu-export").click();
  await page.getByRole("button", { name: "Start over" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(await state(page), before);
  await page.locator("#menu-export").click();
  await page.getByRole("button", { name: "Start over" }).click();
  assert.match(await testid(page, "confirm").getAttribute("class"), /btn-danger/);
  await testid(page, "confirm").click();
  assert.deepEqual(await settled(page), fresh);
  await testid(page, "library").click();
  await page.getByRole("dialog").getByRole("button", { name: "Take it up again" }).click();
  await until("the run is back", async () => (await state(page)).timeline.length >= before.timeline.length);
});

test("a scenario that is not opened after all is not shown as the open one", async (t) => {
  const page = await lab.open(t);
  await press(page, "step");
  await testid(page, "scenario").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await testid(page, "scenario").inputValue(), "lab");
});

test("the report: on the page, and as JSON, Markdown and one HTML file that needs nothing else", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  const before = await state(page);
  await key(page, "m");
  const shown = testid(page, "report");
  await shown.getByRole("heading", { name: "WebApp/default/waiting" }).first().waitFor();
  assert.match(await shown.innerText(), /A second pass over everything changed nothing/);

  const json = await exportAs(page, "Report as JSON");
  const report = JSON.parse(json.text);
  assert.equal(json.name, "reconcile-report.json");
  assert.equal(report.schema, "reconcile.report/v1");
  assert.deepEqual(report.findings, []);
  assert.deepEqual(report.passes.map((p) => p.key).sort(), ["default/outside", "default/plain", "default/waiting"]);
  for (const pass of report.passes) {
    for (const answer of ["desired", "observed", "diff", "actions", "requeue", "status"]) assert.ok(answer in pass, answer);
  }
  assert.equal(report.passes.find((p) => p.key === "default/waiting").requeue.kind, "after");
  assert.equal(report.choices.length >= before.timeline.length, true);
  assert.equal(await page.evaluate(() => window.reconcile.report("json")), json.text);

  const md = await exportAs(page, "Report as Markdown");
  assert.match(md.text, /^# Lab: three WebApps\n/);
  const html = await exportAs(page, "Report as HTML");
  await opensAlone(t, html.text);
  assert.deepEqual(await state(page), before, "a report changes nothing");
});

// Opens a report from a file, where it asks for nothing else.
async function opensAlone(t, text) {
  const dir = mkdtempSync(join(tmpdir(), "reconcile-report-"));
  const context = await lab.browser.newContext();
  t.after(async () => {
    await context.close();
    rmSync(dir, { recursive: true });
  });
  const file = join(dir, "report.html");
  writeFileSync(file, text);
  const page = await context.newPage();
  const asked = [];
  const problems = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => problems.push(message.text()));
  await page.goto(pathToFileURL(file).href);
  assert.deepEqual(asked, [pathToFileURL(file).href]);
  assert.deepEqual(problems, []);
  assert.ok(await page.getByRole("heading", { name: "WebApp/default/plain" }).first().isVisible());
  assert.equal(await page.locator("script, img, link, iframe").count(), 0);
}
