// The terminal by keyboard alone: lines, completion, history, an object in the editor, and a line that is stopped.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { axe, out, sizes, state, testid, until } from "./harness.mjs";
import { editorOf, find, settled, useLab } from "./lab.mjs";

const lab = useLab();

test("a user at the terminal: completion, history, kubectl edit, and Stop", async (t) => {
  const page = await lab.open(t);
  await page.keyboard.press("\\");
  const terminal = testid(page, "terminal");
  const line = page.locator("#terminal-input");
  await line.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "terminal-input");

  // Tab completes a program, a verb, a kind, a name and a flag; several are told.
  for (const [typed, want] of [["kubec", "kubectl "], ["des", "kubectl describe "], ["weba", "kubectl describe webapps "], ["pl", "kubectl describe webapps plain "], ["--name", "kubectl describe webapps plain --namespace= "]]) {
    await page.keyboard.type(typed);
    await page.keyboard.press("Tab");
    await until(want, async () => (await line.inputValue()) === want);
  }
  await line.fill("kubectl get wa o");
  await page.keyboard.press("Tab");
  await until("a short name is a kind", async () => (await line.inputValue()) === "kubectl get wa outside ");
  await page.keyboard.press("Tab");
  await line.fill("nothing-like-it");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "terminal-input", "where nothing fits the focus stays");
  await line.fill("kubectl get webapps p");
  await page.keyboard.press("Tab");
  await line.fill("kubectl get ");
  await page.keyboard.press("Tab");
  await terminal.getByRole("status").getByText("configmaps").waitFor();

  await line.fill("kubectl get webapps -o name | sort | head -1");
  await page.keyboard.press("Enter");
  await terminal.getByText("webapp.lab.example.com/outside").waitFor();
  assert.equal(await line.inputValue(), "", "the line that was run is still there");
  // A key may follow what is typed before the next frame.
  await line.evaluate((field) => {
    field.value = "false";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  await until("the line is empty", async () => (await line.inputValue()) === "");
  await terminal.getByText("exit status 1").waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await until("the first line is back", async () => (await line.inputValue()).includes("sort | head"));
  // help says where to read on, and that is there.
  await line.fill("help");
  await page.keyboard.press("Enter");
  await terminal.getByText("the keys and signs of the page (?)").waitFor();
  await page.keyboard.press("Escape");
  await until("Escape has left the line", async () => (await page.evaluate(() => document.activeElement.id)) === "tab-terminal");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys and signs" }).waitFor();
  const [opened] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Reconcilers in bash" }).click()]);
  await opened.getByRole("heading", { name: "Reconcilers in bash" }).waitFor();
  await opened.locator("pre").getByText("#!/usr/bin/env bash").waitFor();
  assert.deepEqual(await axe(opened), []);
  await opened.close();
  await page.bringToFront();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await axe(page), []);
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    await page.screenshot({ path: join(out, `terminal-${name}.png`) });
  }
  await page.setViewportSize(sizes.desktop);

  // kubectl edit: the object is in the editor; applying there sends what was changed, and a label that was set
  // meanwhile stays.
  await line.fill("kubectl edit webapp plain");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Editor: kubectl-edit.yaml" }).waitFor();
  const text = structuredClone((await state(page)).objects.find((o) => o.kind === "WebApp" && o.metadata.name === "plain"));
  await line.fill("kubectl label webapp plain meanwhile=yes");
  await line.press("Enter");
  await terminal.getByText("webapp.lab.example.com/plain labeled").waitFor();
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(JSON.stringify({ ...text, spec: { ...text.spec, message: "edited" } }));
  await page.keyboard.press("ControlOrMeta+Enter");
  await until("the object was edited", async () => find(await settled(page), "WebApp/default/plain").spec.message === "edited");
  assert.equal(find(await settled(page), "WebApp/default/plain").metadata.labels?.meanwhile, "yes", "the label that was set meanwhile is gone");
  await terminal.getByText("webapp.lab.example.com/plain edited").waitFor();
  await until("the file is closed", async () => (await page.locator('.file[data-file="kubectl-edit.yaml"]').count()) === 0);

  // What is printed is shown in the order in which it was written.
  await line.fill("kubectl get cm nope; echo one; kubectl get cm nope2; echo two");
  await page.keyboard.press("Enter");
  await terminal.getByText("two", { exact: true }).waitFor();
  assert.deepEqual((await page.locator("#terminal-end pre").allTextContents()).map((s) => s.trim()), ['Error from server (NotFound): configmaps "nope" not found', "one", 'Error from server (NotFound): configmaps "nope2" not found', "two"]);

  // Lines that go on: pasted, and typed.
  await line.fill("kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pasted\n  namespace: default\nEOF");
  await page.keyboard.press("Enter");
  await terminal.getByText("configmap/pasted created").waitFor();
  await page.keyboard.type("cat <<'EOF' | tr a-z A-Z");
  await page.keyboard.press("Enter");
  await terminal.getByRole("status").getByText("until the here-document or the quote is closed").waitFor();
  await page.keyboard.type("typed words");
  await page.keyboard.press("Enter");
  await page.keyboard.type("EOF");
  await page.keyboard.press("Enter");
  await terminal.getByText("TYPED WORDS", { exact: true }).waitFor();
  assert.equal(await line.inputValue(), "");

  // A watch shows its rows and ends with the world's rest; the world's clock has not run for minutes.
  await page.evaluate(() => window.reconcile.runToQuiet());
  const before = (await settled(page)).clock;
  await line.fill("kubectl get webapps -w");
  await page.keyboard.press("Enter");
  await terminal.getByText("the world has come to rest").waitFor();
  assert.match(await terminal.innerText(), /NAME[\s\S]*outside[\s\S]*exit status 130\s*It was stopped: the world has come to rest/);
  assert.equal((await state(page)).clock, before);

  // A line without end is stopped.
  await line.fill("while sleep 1; do :; done");
  await page.keyboard.press("Enter");
  await terminal.getByRole("button", { name: "Stop" }).click();
  await terminal.getByRole("button", { name: "Run the line" }).waitFor();
  assert.match(await terminal.innerText(), /exit status 130\s*You stopped it\./);
});

test("of what a line printed all is in sight, and its beginning where there is too much", async (t) => {
  const page = await lab.open(t);
  await page.keyboard.press("\\");
  const line = page.locator("#terminal-input");
  const comments = Array.from({ length: 20 }, (_, i) => `# ${i}`).join("\n");
  for (const [command, last, fits] of [
    [`kubectl apply -f - <<'END'\n${comments}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\nEND`, "END", true],
    ["kubectl get wa -o yaml", "$ kubectl get wa -o yaml", false],
  ]) {
    await line.fill(command);
    await page.keyboard.press("Enter");
    const end = page.locator("#terminal-end", { has: page.getByText(last, { exact: true }) });
    await end.locator(".term-out").waitFor();
    await until(`${last} is in sight with what it printed`, async () => {
      const [inner, log] = [await end.boundingBox(), await page.locator(".term-log").boundingBox()];
      if (fits) return inner.y >= log.y - 1 && inner.y + inner.height <= log.y + log.height + 1;
      return inner.height > log.height && Math.abs(inner.y - log.y) < 2;
    });
  }
});
