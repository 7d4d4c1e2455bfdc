// The editor's own face, on the real page and under its policy.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, start } from "./harness.mjs";

// Puts an editor of our own between two buttons in place of the page's document.
async function startEditor(t, options = {}) {
  const { page } = await start(t);
  await page.evaluate((given) => {
    const parts = ["before", "host", "after"].map((id) => {
      const el = document.createElement(id === "host" ? "main" : "button");
      el.id = id;
      el.textContent = id === "host" ? "" : id;
      return el;
    });
    document.body.replaceChildren(...parts);
    globalThis.heard = [];
    globalThis.editor = globalThis.ReconcileEditor.create(parts[1], {
      doc: "a: 1\n", lang: "yaml", label: "Text of a.yaml", ...given,
      onChange: (text) => globalThis.heard.push(["change", text]),
      onApply: (text) => globalThis.heard.push(["apply", text]),
    });
  }, options);
  return { page, box: page.getByRole("textbox", { name: "Text of a.yaml" }) };
}

const heard = (page) => page.evaluate(() => globalThis.heard.splice(0));
const doc = (page) => page.evaluate(() => globalThis.editor.getDoc());
const focused = (page) => page.evaluate(() => document.activeElement.id);

test("tells of what a person types, not of what the page sets", async (t) => {
  const { page, box } = await startEditor(t);
  await page.evaluate(() => globalThis.editor.setDoc("b: 2"));
  await page.evaluate(() => globalThis.editor.setDoc("b: 3", true));
  assert.deepEqual(await heard(page), []);
  await box.click();
  await page.keyboard.press("End");
  await page.keyboard.type("4");
  assert.deepEqual(await heard(page), [["change", "b: 34"]]);
});

test("Ctrl-Enter applies and changes nothing", async (t) => {
  const { page, box } = await startEditor(t);
  await box.click();
  await page.keyboard.press("Control+Enter");
  assert.deepEqual(await heard(page), [["apply", "a: 1\n"]]);
});

test("Tab indents; after Escape it leaves the editor", async (t) => {
  const { page, box } = await startEditor(t);
  await box.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Tab");
  assert.equal(await doc(page), "  a: 1\n");
  await page.clock.install();
  await page.keyboard.press("Escape");
  await page.clock.runFor(60000);
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "after");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(page), "before");
  assert.equal(await doc(page), "  a: 1\n");
});

test("undo does not bring another file's text back, but steps over a replacement of the same text", async (t) => {
  const { page, box } = await startEditor(t);
  await box.click();
  await page.keyboard.type("x");
  await page.evaluate(() => globalThis.editor.setDoc("another: file"));
  await page.keyboard.press("Control+z");
  assert.equal(await doc(page), "another: file");
  await page.evaluate(() => globalThis.editor.setDoc("another: 1", true));
  await page.keyboard.press("Control+z");
  assert.equal(await doc(page), "another: file");
});

test("marks stand on their line, whatever their text and place", async (t) => {
  const hostile = "<img src=x onerror=alert(1)>";
  const { page } = await startEditor(t, { doc: "a: 1\n\nb: [\n" });
  await page.evaluate((message) => globalThis.editor.setMarks([
    { line: 3, col: 4, severity: "error", message }, { line: 99, col: 99, message: "beyond" }, { line: 2, severity: "warning", message: "empty line" },
  ]), hostile);
  assert.equal(await page.locator(".cm-lint-marker-error").count(), 2);
  assert.equal(await page.locator(".cm-lint-marker-warning").count(), 1);
  await page.locator(".cm-lint-marker-error").first().hover();
  await page.locator(".cm-tooltip").getByText(hostile).waitFor();
  assert.equal(await page.locator("img[onerror]").count(), 0);
  await page.evaluate(() => globalThis.editor.setMarks([]));
  assert.equal(await page.locator(".cm-lint-marker").count(), 0);
});

test("has a name, colours that can be read, and no style element", async (t) => {
  const { page, box } = await startEditor(t, { doc: 'a: "text" # comment\nb: 12\nc: true\n' });
  await box.waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll("style").length), 0);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const lang of ["yaml", "shell", "text"]) {
      await page.evaluate((name) => globalThis.editor.setLang(name), lang);
      assert.deepEqual((await axe(page)).filter((line) => line.includes("editor-host")), [], `${colorScheme} ${lang}`);
    }
  }
  await page.evaluate(() => globalThis.editor.destroy());
  assert.equal(await box.count(), 0);
});
