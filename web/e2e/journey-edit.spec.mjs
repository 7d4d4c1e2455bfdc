// The editor: what cannot be applied is marked where it is wrong, and nothing else changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, state, testid, whenReady } from "./harness.mjs";
import { applyText, editorOf, editorText, find, openFile, press, settled, typeOver, useLab } from "./lab.mjs";

const lab = useLab();
const head = "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\nspec:\n";

// The lines that the editor marks as wrong, from 1.
function markedLines(page) {
  return testid(page, "editor").locator(".cm-content").evaluate((content) => {
    const lines = Array.from(content.querySelectorAll(".cm-line"));
    return lines.flatMap((line, i) => (line.querySelector(".cm-lintRange-error") ? [i + 1] : []));
  });
}

// Applies text that is refused: the cluster, the timeline and the text stay as they were. Returns what is said.
async function refused(page, text) {
  const before = await state(page);
  await applyText(page, "plain.yaml", text);
  await testid(page, "apply-error").locator("visible=true").waitFor();
  assert.deepEqual(await state(page), before);
  assert.equal(await editorText(page), text);
  assert.match(await page.locator('.file[data-file="plain.yaml"]').innerText(), /refused/);
  assert.equal(await testid(page, "apply-error").getAttribute("role"), "alert");
  return testid(page, "apply-error").innerText();
}

test("broken YAML is marked at its line and column", async (t) => {
  const page = await lab.open(t);
  for (const [text, line] of [
    [`${head}  message: "unfinished\n`, 7],
    [`${head}  message: a: b\n`, 7],
    [`${head}  message: hello\n\treplicas: 1\n`, 8],
  ]) {
    const said = await refused(page, text);
    assert.match(said, new RegExp(`line ${line}(, column \\d+)?:`), said);
    assert.deepEqual(await markedLines(page), [line], said);
    assert.equal(await testid(page, "editor").locator(".cm-lint-marker-error").count(), 1);
  }
  // Typing takes the complaint away; what is right then is applied.
  await typeOver(page, `${head}  message: fine\n`);
  await testid(page, "apply-error").locator("visible=true").waitFor({ state: "hidden" });
  assert.deepEqual(await markedLines(page), []);
  await page.keyboard.press("ControlOrMeta+Enter");
  assert.equal(find(await settled(page), "WebApp/default/plain").spec.message, "fine");
});

test("a schema violation shows the server's own message at the field", async (t) => {
  const page = await lab.open(t);
  const invalid = 'WebApp.lab.example.com "plain" is invalid: ';
  assert.match(await refused(page, `${head}  message: hello\n  replicas: 11\n`),
    /spec\.replicas: Invalid value: 11: spec\.replicas in body should be less than or equal to 10/);
  assert.deepEqual(await markedLines(page), [8]);
  assert.ok((await testid(page, "apply-error").innerText()).includes(invalid));

  assert.match(await refused(page, `${head}  replicas: many\n`), /spec\.replicas: Invalid value: "string"/);
  assert.ok((await testid(page, "apply-error").innerText()).includes("spec.message: Required value"));
  assert.ok((await markedLines(page)).includes(7));

  assert.match(await refused(page, head.replace("name: plain", "name: Plain_One") + "  message: hello\n"), /metadata\.name: Invalid value: "Plain_One"/);
  assert.deepEqual(await markedLines(page), [4]);

  assert.match(await refused(page, head.replace("kind: WebApp", "kind: WebAp") + "  message: hello\n"),
    /no matches for kind "WebAp" in version "lab\.example\.com\/v1"/);
});

test("one file may hold several resources, applied one by one as kubectl does", async (t) => {
  const page = await lab.open(t);
  const map = (name, data) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\ndata:\n  k: ${data}\n`;
  const before = await state(page);
  await applyText(page, "shared.yaml", `${map("one", "a")}---\n${map("two", "b")}`);
  let s = await state(page);
  assert.deepEqual([find(s, "ConfigMap/default/one").data, find(s, "ConfigMap/default/two").data], [{ k: "a" }, { k: "b" }]);
  assert.equal(s.timeline.length, before.timeline.length + 1);
  s = await press(page, "apply");
  assert.match(await page.locator(".apply-out").innerText(), /unchanged/);

  // A text that does not parse keeps all of it out; a resource that the server refuses only itself.
  await applyText(page, "shared.yaml", `${map("three", "a")}---\na: [`);
  assert.equal(find(await state(page), "ConfigMap/default/three"), undefined);
  await applyText(page, "shared.yaml", `${map("three", "a")}---\n${map("Bad_", "b")}`);
  assert.match(await testid(page, "apply-error").innerText(), /ConfigMap "Bad_" is invalid: metadata\.name: Invalid value: "Bad_"/);
  s = await state(page);
  assert.deepEqual(find(s, "ConfigMap/default/three").data, { k: "a" });
});

test("a file that is added, edited and taken back", async (t) => {
  const page = await lab.open(t);
  // By keys alone: a name that is taken is refused, another one takes its place.
  const named = page.getByRole("textbox", { name: "Name", exact: true });
  await page.getByRole("button", { name: "New", exact: true }).press("Enter");
  await named.waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.type("plain.yaml");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("There is a file plain.yaml already").waitFor();
  assert.equal(await named.getAttribute("aria-invalid"), "true");
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "new-file");
  await page.keyboard.press("Enter");
  await named.waitFor();
  await page.keyboard.type("another");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Editor: another.yaml" }).waitFor();
  assert.ok(await editorOf(page).evaluate((editor) => editor.getRootNode().activeElement === editor || editor.contains(document.activeElement)), "one can type at once");
  await typeOver(page, head.replace("plain", "another") + "  message: one more\n");
  await press(page, "apply");
  let s = await press(page, "run");
  assert.equal(find(s, "WebApp/default/another").status.phase, "Ready");

  await openFile(page, "plain.yaml");
  const text = await editorText(page);
  await typeOver(page, "nothing of use");
  await page.locator('.file[data-file="plain.yaml"]').getByText("edited").waitFor();
  await page.getByRole("button", { name: "Revert" }).click();
  await settled(page);
  assert.equal(await editorText(page), text);

  // What was applied is kept as it was typed, beyond the page that applied it.
  await typeOver(page, `# by hand\n${head}  message: with a comment\n`);
  await press(page, "apply");
  const applied = await editorText(page);
  await typeOver(page, "nothing of use");
  await page.locator('.file[data-file="plain.yaml"]').getByText("edited").waitFor();
  await settled(page);
  await page.getByText("saved in this browser").waitFor();
  await page.reload();
  await whenReady(page);
  await openFile(page, "plain.yaml");
  await page.getByRole("button", { name: "Revert" }).click();
  await settled(page);
  assert.equal(await editorText(page), applied);

  await openFile(page, "another.yaml");
  await page.getByRole("button", { name: "Remove another.yaml" }).click();
  await testid(page, "confirm").click();
  await page.locator('.file[data-file="another.yaml"]').waitFor({ state: "detached" });
  s = await settled(page);
  assert.ok(find(s, "WebApp/default/another"), "what was applied stays");
});
