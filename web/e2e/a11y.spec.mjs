// axe finds nothing, in light and dark and at the three sizes, with whatever may be open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, sizes, testid } from "./harness.mjs";
import { applyText, key, pick, press, settled, useLab } from "./lab.mjs";

const lab = useLab();

// Looks at the page as it is, and at its colours in the other theme.
async function look(page, where) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await axe(page, { colours: colorScheme === "dark" }), [], `${where}, ${colorScheme}`);
  }
}

const open = async (page, menu, where, more = async () => {}) => {
  await page.locator(`#menu-${menu}`).click();
  await page.locator(".menu-list").waitFor();
  await more();
  await look(page, where);
  await page.keyboard.press("Escape");
};

test("a first visit, a pass under way, what is open beside it", async (t) => {
  const page = await lab.open(t, { tour: true });
  await look(page, "first visit");
  await press(page, "step-call");
  await look(page, "in mid-pass");
  for (const menu of ["next", "clock", "export"]) await open(page, menu, `menu ${menu}`);
  await page.locator("#why-queue").click();
  await page.locator(".why-text").waitFor();
  await look(page, "an explanation");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await look(page, "help");
});

test("what is refused, deleted, crashed, compared, and seen in the past", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  await applyText(page, "plain.yaml", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\nspec:\n  message: m\n  replicas: 99\n");
  await testid(page, "apply-error").getByText("Invalid value").first().waitFor();
  await look(page, "refused");
  await page.locator('[id="object-WebApp/default/outside"]').click();
  await open(page, "finalizers", "menu of finalizers");
  await testid(page, "delete").click();
  await page.getByRole("dialog").waitFor();
  await look(page, "a question");
  await testid(page, "confirm").click();
  await press(page, "crash");
  await page.getByRole("button", { name: "Both", exact: true }).click();
  await settled(page);
  await look(page, "crashed, both views");
  await press(page, "restart");
  await page.evaluate(() => window.reconcile.seek(9));
  await press(page, "crash");
  await open(page, "branches", "menu of branches");
  await press(page, "back");
  await look(page, "in the past");
});

test("the drawer's tabs, taller and closed", async (t) => {
  const page = await lab.open(t);
  await press(page, "run");
  for (const tab of ["log", "report"]) {
    await page.locator(`#tab-${tab}`).click();
    await settled(page);
    await look(page, tab);
  }
  await page.locator("#tab-timeline").click();
  await page.locator("#step").focus();
  for (const size of ["taller", "closed"]) {
    await key(page, "d");
    await look(page, `the drawer ${size}`);
  }
});

for (const size of ["projector", "phone"]) {
  test(`at ${sizes[size].width} pixels, pane by pane`, async (t) => {
    const page = await lab.open(t, { tour: true, contextOptions: { viewport: sizes[size] } });
    await press(page, "step-call");
    await look(page, "the loop");
    for (const pane of await page.locator(".panes button").filter({ visible: true }).all()) {
      await pane.click();
      await look(page, await pane.innerText());
    }
    await page.keyboard.press("Escape");
    await page.locator("#help").click();
    await look(page, "help");
    await page.keyboard.press("Escape");
    await pick(page, "export", "Start over");
    await look(page, "a question");
    // Nothing is wider than the window.
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth <= 0), true);
  });
}
