// Everything goes by keyboard: the whole main job without a mouse, and the focus is seen wherever it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { field, state, testid } from "./harness.mjs";
import { condition, download, editorText, find, key, settled, useLab, versions } from "./lab.mjs";

const lab = useLab();

// What has the focus, and whether one can see that it has.
function focus(page) {
  return page.evaluate(() => {
    let el = document.activeElement;
    while (el.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
    const seen = (at) => {
      const style = getComputedStyle(at);
      const frame = getComputedStyle(at, "::after");
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none" ||
        frame.content !== "none" && frame.borderStyle !== "none" && parseFloat(frame.borderWidth) > 0;
    };
    const box = el.getBoundingClientRect();
    // The editor shows its focus on the box around the text, as a frame that lies over it.
    const frames = [el, el.closest(".cm-editor"), el.getRootNode().host, el.getRootNode().host?.parentElement].filter(Boolean);
    return {
      name: el.getAttribute("aria-label") || el.innerText?.trim().split("\n")[0] || el.id || el.className,
      id: el.id,
      tag: el.tagName.toLowerCase(),
      visible: frames.some(seen),
      inWindow: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    };
  });
}

// Presses a key until the focus is where it is wanted.
async function walk(page, name, wanted) {
  for (let n = 0; n < 300; n++) {
    const at = await focus(page);
    if (wanted(at)) return at;
    await page.keyboard.press(name);
  }
  return assert.fail("the focus does not get there");
}

test("the whole main job", async (t) => {
  const page = await lab.open(t, { tour: true });
  // The tour, by the key that does what it suggests.
  await page.keyboard.press("g");
  for (let s = await state(page); await testid(page, "guide").getAttribute("data-tour") !== "5"; s = await key(page, "g")) {
    assert.ok(s.timeline.length < 200, "the tour goes on");
  }
  const before = await state(page);
  assert.equal(condition(find(before, "WebApp/default/waiting"), "Ready").status, "True");
  await page.keyboard.press("g");
  await testid(page, "guide").getByText("Every resourceVersion stayed.").waitFor();
  assert.deepEqual(versions(await state(page)), versions(before));
  await page.keyboard.press("g");
  await page.waitForSelector('[data-testid="guide"][data-tour="0"]');

  // Edit and apply; Escape and Tab lead out of the editor.
  await page.keyboard.press("e");
  assert.match((await focus(page)).name, /^Editor: /);
  await walkToFile(page, "plain.yaml");
  const text = await editorText(page);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text.replace("hello", "by keyboard"));
  await key(page, "ControlOrMeta+Enter");
  assert.equal(await field(page, "WebApp/default/plain", "generation"), "2");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.doesNotMatch((await focus(page)).name, /^Editor: /);

  // Step, call, run; b and f move the view.
  let s = await key(page, "s");
  const { timeline } = s;
  s = await key(page, "c");
  assert.equal(s.pass.key, "default/plain");
  s = await key(page, "b");
  assert.equal(s.timeline.step, s.timeline.length - 1);
  s = await key(page, "f");
  assert.equal(s.timeline.step, s.timeline.length);
  assert.ok(s.timeline.length > timeline.length);
  s = await key(page, "r");
  assert.equal(find(s, "ConfigMap/default/plain-config").data.message, "by keyboard");
  assert.equal(await field(page, "WebApp/default/plain", "observedGeneration"), "2");

  // Crash, delete outside, restart.
  assert.equal((await key(page, "k")).controller, "crashed");
  await page.keyboard.press("o");
  await walk(page, "]", () => testid(page, "detail").getAttribute("data-object").then(() => true));
  while (await testid(page, "detail").getAttribute("data-object") !== "WebApp/default/outside") await key(page, (await focus(page)).id ? "[" : "]");
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").waitFor();
  assert.equal((await focus(page)).id, "confirm-no", "nothing is lost by a habit of pressing Enter");
  await page.keyboard.press("Tab");
  await key(page, "Enter");
  assert.notEqual(await field(page, "WebApp/default/outside", "deletionTimestamp"), "");
  await key(page, "k");
  s = await key(page, "r");
  assert.equal(find(s, "WebApp/default/outside"), undefined);
  assert.deepEqual(s.cloud, []);

  // Time, the report, an export.
  const { clock } = s;
  s = await key(page, "t");
  assert.ok(s.clock > clock);
  await page.keyboard.press("m");
  await testid(page, "report").getByRole("heading").first().waitFor();
  await page.keyboard.press("x");
  await walk(page, "Tab", (at) => at.name === "Cluster as a file");
  const file = await download(page, () => page.keyboard.press("Enter"));
  assert.equal(file.name, "reconcile-cluster.json");
});

async function walkToFile(page, name) {
  await page.keyboard.press("Escape");
  await walk(page, "Shift+Tab", (at) => at.tag === "button" && at.name === name);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: `Editor: ${name}` }).waitFor();
  assert.equal((await focus(page)).name, `Editor: ${name}`);
}

test("the focus goes everywhere, is seen there, and is never caught", async (t) => {
  const page = await lab.open(t);
  await key(page, "c");
  const seen = new Set();
  let first;
  for (let n = 0; n < 300; n++) {
    await page.keyboard.press("Tab");
    const at = await focus(page);
    if (at.tag === "body") break;
    const what = `${at.tag} ${at.id} ${at.name}`;
    if (what === first) break;
    first ??= what;
    seen.add(at.name);
    assert.ok(at.visible, `the focus cannot be seen on ${what}`);
    assert.ok(at.inWindow, `the focus is out of sight on ${what}`);
    if (at.name.startsWith("Editor: ")) await page.keyboard.press("Escape");
  }
  for (const name of ["Skip to the loop", "Scenario", "Back", "Step", "Call", "Run", "Crash", "Apply", "Delete", "Step in view", "Log", "Export"]) {
    assert.ok(Array.from(seen).some((text) => text.startsWith(name)), `${name} is not among ${Array.from(seen).join(", ")}`);
  }
});

test("the help sheet keeps the focus, Escape closes it and gives the focus back", async (t) => {
  const page = await lab.open(t);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys and signs" }).waitFor();
  for (let n = 0; n < 8; n++) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement.closest("[role=dialog]") !== null));
    assert.ok(await page.evaluate(() => document.elementFromPoint(...(({ x, y, width, height }) => [x + width / 2, y + height / 2])(
      document.activeElement.getBoundingClientRect())).closest("button, input, a, label") !== null), "what has the focus is not covered");
  }
  const before = await state(page);
  await page.keyboard.press("s");
  assert.deepEqual(await settled(page), before, "what lies below does not hear");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await focus(page)).id, "help");
  await page.keyboard.press("x");
  assert.equal((await focus(page)).id, "menu-first");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".menu-list").count(), 0);
  assert.equal((await focus(page)).id, "menu-export");
});

test("keys of a single letter can be switched off, and typing never acts", async (t) => {
  const page = await lab.open(t);
  const before = await state(page);
  await page.keyboard.press("e");
  await page.keyboard.type("srk");
  assert.deepEqual(await settled(page), before);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await page.keyboard.press("?");
  await page.getByRole("checkbox").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  assert.deepEqual(await settled(page), before);
  await page.reload();
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.keyboard.press("s");
  assert.equal((await settled(page)).timeline.length, before.timeline.length + 1, "only the reload");
});
