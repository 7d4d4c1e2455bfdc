// What is wrong is said to be: by the bar, by what goes wrong in an incident, and above and in the fault matrix.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, state, testid } from "./harness.mjs";
import { openScenario, useLab } from "./lab.mjs";

const lab = useLab();

// A script that labels what it watches, which is not its to do: it needs no fault to go wrong.
const labels = `found=$(kubectl get webapp "\${1#*/}" -n "\${1%/*}" --ignore-not-found -o name)
[ -n "$found" ] || exit 0
kubectl label webapp "\${1#*/}" -n "\${1%/*}" seen=yes --overwrite >&2
`;

test("keys that only fail, and what goes wrong without any fault", async (t) => {
  const page = await lab.open(t);
  const plays = testid(page, "plays");
  await page.locator("#tab-prove").click();
  await plays.getByText("the reference reconciler").waitFor();
  await page.evaluate(() => window.reconcile.setScript("curl x\n"));
  await plays.getByText("Plays reconcile.sh").waitFor();
  await page.evaluate(() => window.reconcile.runToQuiet());
  const bar = testid(page, "guide");
  await bar.getByText("✗ 3 keys fail.").waitFor();
  assert.match(await bar.innerText(), /curl: command not found \(exit status 127\)\. Look at the log/);
  assert.doesNotMatch(await bar.getAttribute("class"), /guide-ok/);
  await testid(page, "guide-do").click();
  await page.locator("#tab-log[aria-current]").waitFor();

  await page.evaluate((text) => window.reconcile.setScript(text), labels);
  await page.evaluate(() => window.reconcile.prove({ faults: "refused,lost-reply", schedules: "none" }));
  await page.locator("#tab-prove").click();
  const without = testid(page, "without");
  await without.waitFor();
  assert.match(await testid(page, "verdict").innerText(), /without any fault/);
  assert.equal(await without.locator("td").getAttribute("data-cell"), "bad");
  assert.equal(await page.locator('table.matrix [data-cell="good"]').count(), 0, "cells are green under a red verdict");
  assert.ok(await page.locator('table.matrix [data-cell="same"]').count() > 0, await page.locator("table.matrix").innerText());
  const above = await page.evaluate(() => document.querySelector("ul.checks [data-finding]").getBoundingClientRect().top < document.querySelector("table.matrix").getBoundingClientRect().top);
  assert.ok(above, "the findings stand below the matrix");
  assert.deepEqual(await axe(page), []);
  const before = await state(page);
  await without.getByRole("button").first().click();
  await testid(page, "mine").first().waitFor();
  await bar.getByText("This run shows what was found.").waitFor();
  await bar.getByRole("button", { name: "Back to my run" }).click();
  await bar.getByText("This run shows what was found.").waitFor({ state: "detached" });
  assert.deepEqual((await state(page)).timeline, before.timeline);
  assert.match(await testid(page, "verdict").innerText(), /without any fault/, "what was found stays to be read on");
});

test("the loop is what goes wrong in its incident, and nothing is with its cure", async (t) => {
  const page = await lab.open(t);
  await openScenario(page, "incident-status-loop");
  await page.locator("#tab-lesson").click();
  await page.evaluate(() => window.reconcile.runToQuiet());
  const lesson = testid(page, "lesson");
  await lesson.locator('[data-finding="hot-loop"]').getByText(/20 rounds by now: the pass of default\/plain makes patch status/).waitFor();
  await lesson.locator('[data-cure="predicate"]').click();
  await testid(page, "confirm").click();
  await lesson.locator('[data-cure="predicate"][aria-pressed="true"]').waitFor();
  await page.evaluate(() => window.reconcile.runToQuiet());
  assert.equal(await lesson.locator("[data-finding]").count(), 0);
  await page.locator("#tab-found").click();
  await testid(page, "findings").getByText("it is at rest, and was judged there").waitFor();
});
