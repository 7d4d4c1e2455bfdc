// Each incident is lived through on the page as its file tells it: as it is broken, and with each cure. What is
// shown at the end is the file's own outcome, and differs from form to form; what is found is what the file names.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, picture, root, state, testid, until } from "./harness.mjs";
import { key, openScenario, settled, useLab } from "./lab.mjs";

const lab = useLab();
const library = join(root, "core/scenario/library");

// What a file says of the outcomes: [form, happens, says, finds], the broken form first.
function outcomes(name) {
  const yaml = /^-- scenario.yaml --\n(.*?)^-- /ms.exec(readFileSync(join(library, `${name}.txtar`), "utf8"))[1];
  const read = (form, text, happens) => [form, /^ *happens: (\w+)$/m.test(text) ? /^ *happens: true$/m.test(text) : happens,
    (form === "" ? /says: >-\n((?: {4}.*\n)+)/ : /says: >-\n((?: {6}.*\n)+)/).exec(text)[1].split(/\s+/).join(" ").trim(), (/finds: \[(.*)\]/.exec(text)?.[1] ?? "").split(", ").filter(Boolean)];
  const own = /^outcome:\n((?: {2}.*\n)+)/m.exec(yaml)[1];
  const cures = yaml.slice(yaml.indexOf("\ncures:")).split(/^- name: /m).slice(1).filter((c) => c.includes("  outcome:\n"));
  return [read("", own, true),
    ...cures.map((c) => read(c.split("\n")[0], c.slice(c.indexOf("  outcome:\n")), false))];
}

const names = readdirSync(library).filter((f) => f.startsWith("incident-") && f.endsWith(".txtar")).map((f) => f.replace(".txtar", ""));

async function open(page, name) {
  await openScenario(page, name);
  await testid(page, "acts").waitFor();
}

// Goes from act to act by the key, to the end.
async function playActs(page) {
  const acts = await testid(page, "acts").locator("li").count();
  for (let i = 0; i < acts; i++) {
    assert.equal(await testid(page, "acts").getAttribute("data-act"), String(i));
    await page.keyboard.press(".");
    await until(`act ${i + 1}`, async () => (await testid(page, "acts").getAttribute("data-act")) === String(i + 1));
  }
  await testid(page, "outcome").waitFor();
}

const found = (page) => testid(page, "lesson").locator("[data-finding]").evaluateAll((list) => [...new Set(list.map((e) => e.dataset.finding))].sort());

test("each incident plays as told, broken and with each cure", async (t) => {
  const page = await lab.open(t);
  assert.ok(names.length >= 17, `there are ${names.length} incidents`);
  for (const name of [...names, "lab-0"]) {
    await t.test(name, async () => {
      await open(page, name);
      assert.equal(await testid(page, "lesson").evaluate((box) => box.scrollTop), 0, "it opens at its beginning");
      const evidence = [];
      for (const [form, happens, says, finds] of outcomes(name)) {
        if (form !== "") {
          await page.locator(`[data-cure="${form}"]`).first().click();
          await until(`the cure ${form}`, async () => (await page.locator(`button[data-cure="${form}"]`).first().getAttribute("aria-pressed")) === "true");
          await until("the acts of the cure", async () => (await testid(page, "acts").getAttribute("data-act")) === "0");
        }
        assert.equal(await testid(page, "outcome").count(), 0, "nothing is said of the end before it");
        await playActs(page);
        const outcome = testid(page, "outcome");
        assert.equal(await outcome.getAttribute("data-happens"), String(happens));
        assert.equal(await outcome.getAttribute("data-holds"), "true", "what is seen is what the file says");
        assert.ok((await outcome.innerText()).includes(says), `${await outcome.innerText()}\nsays not: ${says}`);
        if (name !== "lab-0") assert.deepEqual(await found(page), finds);
        assert.doesNotMatch(await testid(page, "lesson").innerText(), /Nothing is wrong/);
        assert.ok((await testid(page, "guide").innerText()).includes(says), "the bar says how it ended");
        evidence.push(`${await testid(page, "evidence").innerText()} ${says}`);
        await page.locator("#tab-found").click();
        assert.doesNotMatch(await testid(page, "findings").innerText(), /Nothing is wrong/, "neither does the tab of what is wrong");
        await page.locator("#tab-keys").click();
        await testid(page, "keys").getByText(/The work queue is empty|why it is queued/).first().waitFor();
        await page.locator("#tab-lesson").click();
      }
      assert.equal(new Set(evidence).size, evidence.length, "the forms end differently");
    });
  }
});

test("an incident is played at a speed, paused, looked at again, left and taken up", async (t) => {
  const page = await lab.open(t);
  await open(page, "incident-stuck-finalizer");
  assert.deepEqual(await axe(page), []);
  await picture(page, "incident-begin");
  await page.locator("#menu-play").click();
  await page.getByRole("button", { name: "10×", exact: true }).click();
  await testid(page, "play-story").click();
  await until("it plays", async () => (await settled(page)).timeline.length > 5);
  await page.keyboard.press("p");
  const { timeline } = await settled(page);
  await page.waitForTimeout(400);
  assert.equal((await state(page)).timeline.length, timeline.length, "it pauses");
  await page.keyboard.press("p");
  await testid(page, "outcome").waitFor();
  const end = (await settled(page)).timeline.length;
  assert.equal(await testid(page, "outcome").getAttribute("data-happens"), "true");
  assert.equal((await state(page)).controller, "crashed");
  await picture(page, "incident-end");
  assert.deepEqual(await axe(page), []);

  // The object and the step that are to be looked at.
  await testid(page, "outcome").getByRole("button", { name: "WebApp/default/outside" }).click();
  await settled(page);
  assert.equal(await page.locator('[data-key="WebApp/default/outside"]').first().getAttribute("class"), "sel");
  await testid(page, "outcome").getByRole("button", { name: "Act 3" }).click();
  assert.ok((await settled(page)).timeline.step < end, "the view is in the past");
  assert.equal(await testid(page, "acts").getAttribute("data-act"), "3");
  assert.equal(await testid(page, "outcome").count(), 0);
  // Looked at again, act by act: nothing is made anew.
  await key(page, ".");
  await key(page, ".");
  assert.equal((await settled(page)).timeline.length, end);
  await testid(page, "outcome").waitFor();

  // One's own way, and back.
  await testid(page, "story-again").click();
  await until("it begins again", async () => (await testid(page, "acts").getAttribute("data-act")) === "0");
  await key(page, ".");
  await page.evaluate(() => window.reconcile.delete("ConfigMap/default/outside-config"));
  await testid(page, "back-to-story").waitFor();
  assert.match(await testid(page, "guide").innerText(), /your own way/);
  await testid(page, "back-to-story").click();
  await testid(page, "next-act").waitFor();
  await key(page, ".");
  await until("the second act is over", async () => (await testid(page, "acts").getAttribute("data-act")) === "2");

  // A loaded page goes on from there.
  await page.reload();
  await testid(page, "acts").waitFor();
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
  test(`an incident fits ${width} by ${height}`, async (t) => {
    const page = await lab.open(t, { contextOptions: { viewport: { width, height } } });
    await page.evaluate(() => window.reconcile.load("incident-generate-name"));
    await state(page);
    if (width < 900) await page.getByRole("navigation").getByRole("button", { name: "Timeline" }).click();
    await testid(page, "acts").waitFor();
    await playActs(page);
    assert.deepEqual(await axe(page), []);
    await picture(page, `incident-${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} wide`);
  });
}
