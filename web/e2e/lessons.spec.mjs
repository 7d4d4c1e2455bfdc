// The lab on the page: a lesson from its first hint to the next one, a grade that shows its runs, and what is taken
// along. One page goes through it, since what runs scripts is loaded once.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import zlib from "node:zlib";
import { axe, out, root, state, testid, until } from "./harness.mjs";
import { download, editorText, openFile, openScenario, opened, settled, typeOver, useLab } from "./lab.mjs";

const lab = useLab();

// The text of a member of a lesson's document.
function member(lesson, name) {
  const parts = readFileSync(join(root, "core/scenario/library", `${lesson}.txtar`), "utf8").split(/^-- (.+) --\n/m);
  return parts[parts.indexOf(name) + 1];
}

// Whether the first of what an element shows is in sight.
const atTop = (element, heading) => element.evaluate((box, of) => box.scrollTop === 0
  && box.querySelector(of).getBoundingClientRect().top >= box.getBoundingClientRect().top, heading);

const grade = async (page) => {
  await testid(page, "grade").click();
  // Then the last one has gone.
  await settled(page);
  await testid(page, "grade-result").waitFor();
  return testid(page, "grade-result").getAttribute("data-passed");
};

test("a lesson is read, tried, graded and solved; the next one follows; progress stays", async (t) => {
  const page = await lab.open(t);
  await page.locator("#library").click();
  const sheet = page.getByRole("dialog");
  const close = sheet.getByRole("button", { name: "Close" });
  assert.ok(await atTop(sheet, "h2"), "the library opens at its top");
  assert.ok(await close.evaluate((e) => e === document.activeElement), "Close has the focus");
  const seen = await Promise.all([close, sheet].map((of) => of.boundingBox()));
  assert.ok(seen[0].y + seen[0].height <= seen[1].y + seen[1].height, "Close is in sight");
  await page.locator('[data-scenario="lab-1"]').getByRole("button").click();
  await opened(page, "lab-1");
  const panel = testid(page, "lesson");
  await panel.getByText("What must hold in the end").waitFor();
  assert.ok(await atTop(panel, "h3"), "the lesson opens at its top");
  assert.match(await testid(page, "guide").innerText(), /Read the tasks/);
  assert.equal(await page.locator('.file[data-file="solution.sh"]').count(), 0, "the solution is shown to who did not ask for it");
  assert.deepEqual(await axe(page), []);
  await page.screenshot({ path: join(out, "lesson.png") });

  assert.equal(await testid(page, "hints").locator("li").count(), 0);
  await testid(page, "hint").click();
  await until("the first hint is shown", async () => (await testid(page, "hints").locator("li").count()) === 1);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "hint", "the focus stays on the button");

  assert.equal(await grade(page), "false");
  const failed = testid(page, "checks").locator('li[data-passed="false"]');
  assert.ok((await failed.count()) > 0);
  assert.match(await failed.first().innerText(), /Expected: .*\n.*What happened: /s);
  assert.match(await testid(page, "guide").innerText(), /of \d+ checks hold/);
  await page.screenshot({ path: join(out, "grade.png") });
  const before = (await state(page)).timeline.length;
  await failed.getByRole("button", { name: "Show the run" }).first().click();
  await until("the run of the check is open", async () => (await state(page)).timeline.length !== before);
  assert.match(await page.locator(".banner-info").innerText(), /The run that shows it was opened: \d+ steps/);
  assert.equal(await testid(page, "grade-result").getAttribute("data-passed"), "false", "the grade goes with the run");

  // What stands in the editor is graded, rolled out or not.
  await openFile(page, "reconcile.sh");
  await typeOver(page, member("lab-1", "scripts/solution.sh"));
  assert.equal(await grade(page), "true");
  await testid(page, "solved").waitFor();

  const bundle = await download(page, () => testid(page, "bundle").click());
  assert.equal(bundle.name, "lab-1-bundle.zip");
  await page.reload();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await testid(page, "solved").waitFor();
  await page.locator("#library").click();
  assert.equal(await page.locator('[data-scenario="lab-1"]').getByTestId("learned").innerText(), "✓ solved");
  await page.keyboard.press("Escape");
  await panel.evaluate((box) => { box.scrollTop = box.scrollHeight; });
  await testid(page, "next-lesson").click();
  await testid(page, "confirm").click();
  await opened(page, "lab-2");
  await testid(page, "tasks").waitFor();
  await until("the next lesson is read from its top", () => atTop(panel, "h3"));

  // The solution stands beside the script once it was asked for twice, and the starting script comes back.
  await testid(page, "solution").click();
  await testid(page, "solution").click();
  await page.getByRole("textbox", { name: "Editor: solution.sh" }).waitFor();
  // The editor has the lines in sight alone.
  const begins = async (name) => member("lab-2", name).startsWith((await editorText(page)).trim().slice(0, 400));
  assert.ok(await begins("scripts/solution.sh"), await editorText(page));
  await openFile(page, "reconcile.sh");
  await typeOver(page, "exit 3\n");
  await settled(page);
  await testid(page, "start-script").click();
  await testid(page, "start-script").click();
  await until("the starting script is there", () => begins("scripts/reconcile.sh"));

  // Progress is a file of its own, which another browser adds to its own.
  const progress = await download(page, () => testid(page, "progress").click());
  assert.equal(JSON.parse(progress.text).lessons["lab-1"].passed, true);
  const dir = mkdtempSync(join(tmpdir(), "progress-"));
  try {
    const file = join(dir, "progress.json");
    writeFileSync(file, progress.text);
    const other = await lab.open(t);
    await other.locator("#menu-export").click();
    const [chooser] = await Promise.all([other.waitForEvent("filechooser"), other.locator(".menu-list").getByRole("button", { name: /Import/ }).click()]);
    await chooser.setFiles(file);
    await other.locator("#library").click();
    await other.locator('[data-scenario="lab-1"]').getByText("✓ solved").waitFor();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

/** What is in a zip whose files are stored as they are: {mode, text} by name, each read by both of its records. */
function unzip(bytes) {
  const end = bytes.length - 22;
  assert.equal(bytes.readUInt32LE(end), 0x06054b50);
  const files = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 8); n > 0; n--) {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50);
    const [crc, size, width, start] = [bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28), bytes.readUInt32LE(at + 42)];
    const name = bytes.toString("utf8", at + 46, at + 46 + width);
    assert.equal(bytes.readUInt32LE(start), 0x04034b50);
    assert.equal(bytes.toString("utf8", start + 30, start + 30 + width), name);
    const body = bytes.subarray(start + 30 + width, start + 30 + width + size);
    if (zlib.crc32) assert.equal(zlib.crc32(body), crc, name);
    files.set(name, { mode: bytes.readUInt16LE(at + 40), text: body.toString("utf8") });
    at += 46 + width;
  }
  assert.equal(at, end);
  return files;
}

test("the lab bundle holds what runs on a real cluster, and the last lesson gives a project in Go", async (t) => {
  const page = await lab.open(t);
  await openScenario(page, "lab-9");
  const dir = mkdtempSync(join(tmpdir(), "bundle-"));
  try {
    const unpack = async (button) => {
      const [file] = await Promise.all([page.waitForEvent("download"), testid(page, button).click()]);
      await file.saveAs(join(dir, "it.zip"));
      const files = unzip(readFileSync(join(dir, "it.zip")));
      const folder = file.suggestedFilename().replace(/\.zip$/, "");
      for (const [name, { mode, text }] of files) assert.equal(mode, text.startsWith("#!") ? 0o100755 : 0o100644, name);
      return (name) => files.get(`${folder}/${name}`)?.text;
    };
    const bundle = await unpack("bundle");
    assert.equal(bundle("reconcile/reconcile.sh"), member("lab-9", "scripts/reconcile.sh"));
    assert.equal(bundle("run.sh"), readFileSync(join(root, "web/bundle/run.sh"), "utf8"));
    assert.equal(bundle("bin/cloud"), readFileSync(join(root, "web/bundle/cloud.sh"), "utf8"));
    assert.equal(bundle("crd/crd.yaml"), member("lab-9", "cluster/crd.yaml"));
    assert.equal(bundle("resources/waiting.yaml"), member("lab-9", "files/waiting.yaml"));
    assert.equal(bundle("later/shared.yaml"), member("lab-9", "files/shared.yaml"), "what is not there at first is not applied at first");
    assert.match(bundle("lab.env"), /KIND=WebApp\nPLURAL=webapps\nGROUP=lab\.example\.com\nVERSION=v1\nOWNS='configmaps '/);
    assert.match(bundle("README.md"), /kubectl apply -f crd\//);
    const project = await unpack("project");
    assert.match(project("README.md"), /\w/);
    assert.match(project("go.mod"), /sigs\.k8s\.io\/controller-runtime/);
    assert.match(project("internal/controller/webapp_controller.go"), /func \(r \*WebAppReconciler\) Reconcile/);
  } finally {
    rmSync(dir, { recursive: true });
  }

  // A doubtful script runs, and says at which line it is doubtful; a refused one says where and what instead.
  await openFile(page, "reconcile.sh");
  await typeOver(page, 'a=$(kubectl get webapp -o json)\nb=$(kubectl get webapp -o json)\nif [ "$(jq .spec <<<"$a")" != "$(jq .spec <<<"$b")" ]; then echo; fi\n');
  await page.keyboard.press("ControlOrMeta+Enter");
  await settled(page);
  await testid(page, "apply-error").getByText(/line 3/i).waitFor();
  assert.match(await testid(page, "apply-error").innerText(), /jq/);
  await page.locator(".cm-lint-marker-warning").first().waitFor();
  await page.screenshot({ path: join(out, "doubts.png") });
  await typeOver(page, "sleep 1 &\n");
  await page.keyboard.press("ControlOrMeta+Enter");
  await settled(page);
  await testid(page, "apply-error").getByText(/instead: /).waitFor();
  await page.locator(".cm-lint-marker-error").first().waitFor();
});

test("an incident says what to look at, and its cure is switched on where it is read", async (t) => {
  const page = await lab.open(t);
  await openScenario(page, "incident-stuck-finalizer");
  const panel = testid(page, "lesson");
  await panel.getByText("What to look at").waitFor();
  assert.match(await testid(page, "guide").innerText(), /Read the story/);
  const cures = panel.locator("[data-cure]");
  assert.equal(await cures.count(), 3);
  assert.doesNotMatch(await panel.innerText(), /\[object/);
  assert.deepEqual(await axe(page), []);
  const name = await cures.nth(1).getAttribute("data-cure");
  await cures.nth(1).click();
  await panel.locator(`[data-cure="${name}"][aria-pressed="true"]`).waitFor();
});

test("the buttons of a lesson stay in its panel on a small screen", async (t) => {
  const page = await lab.open(t);
  await page.setViewportSize({ width: 1024, height: 768 });
  await openScenario(page, "lab-0");
  const panel = testid(page, "lesson");
  await testid(page, "next-lesson").waitFor();
  const right = (of) => of.evaluate((e) => e.getBoundingClientRect().right);
  const edge = await right(panel);
  for (const button of await panel.getByRole("button").all()) {
    assert.ok(await right(button) <= edge, `${await button.innerText()} runs out of the panel`);
  }
});
