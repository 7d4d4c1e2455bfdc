// What is in sight, and how wide: the columns and their borders, the six questions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, sizes, state, testid, until, whenReady } from "./harness.mjs";
import { settled, useLab } from "./lab.mjs";

const lab = useLab();

test("the borders between the columns move by pointer and by keys, and are remembered", async (t) => {
  const page = await lab.open(t);
  const files = page.getByRole("separator", { name: "Width of the files" });
  const width = async (selector) => (await page.locator(selector).boundingBox()).width;
  const usual = await width(".files");
  const now = async () => Number(await files.getAttribute("aria-valuenow"));
  const before = await now();
  await files.focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  await until("the files are wider", async () => (await width(".files")) > usual + 55);
  assert.ok((await now()) > before, "aria-valuenow follows");
  assert.deepEqual(await axe(page), []);

  const box = await page.getByRole("separator", { name: "Width of the objects" }).boundingBox();
  const objects = await width(".objs");
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x - 60, box.y + 180, { steps: 4 });
  await page.mouse.up();
  await until("the objects are wider", async () => (await width(".objs")) > objects + 50);
  // No column becomes too narrow to read.
  await files.focus();
  await page.keyboard.press("End");
  await until("the loop keeps its room", async () => (await width(".loop")) >= 499 && (await width(".loop")) < 520);
  await page.keyboard.press("Home");
  await until("so do the files", async () => Math.abs((await width(".files")) - 210) < 3);

  await page.reload();
  await whenReady(page);
  assert.ok(Math.abs((await width(".files")) - 210) < 3, "it is remembered");
  await files.dblclick();
  await until("the usual width is back", async () => Math.abs((await width(".files")) - usual) < 2);
  assert.equal(await page.getByRole("separator").count(), 2);
  await page.setViewportSize(sizes.projector);
  await until("two columns have one border", async () => (await page.getByRole("separator").count()) === 1);
  await page.setViewportSize(sizes.phone);
  await until("one column has none", async () => (await page.getByRole("separator").count()) === 0);
});

test("a window too low for panes beside each other shows one of them, whichever is picked, however wide it is", async (t) => {
  const page = await lab.open(t);
  const panes = { "The loop": ".loop", Objects: ".objs", Files: ".files", Timeline: ".time" };
  for (const size of [{ width: 1440, height: 580 }, { width: 1440, height: 400 }, { width: 1280, height: 599 }, { width: 1024, height: 559 }, { width: 844, height: 390 }]) {
    await page.setViewportSize(size);
    for (const [name, pane] of Object.entries(panes)) {
      await page.locator(".panes").getByRole("button", { name, exact: true }).click();
      await page.locator(pane).waitFor();
      for (const other of Object.values(panes)) assert.equal(await page.locator(other).isVisible(), other === pane, `${other} at ${size.width} by ${size.height} with ${pane}`);
      const [box, bar] = [await page.locator(pane).boundingBox(), await page.locator(".panes").boundingBox()];
      assert.ok(box.width > size.width - 20 && box.height > 100, `${pane} is ${box.width} by ${box.height} at ${size.width} by ${size.height}`);
      assert.ok(Math.abs(bar.y + bar.height - size.height) < 2, `the buttons end at ${bar.y + bar.height} of ${size.height}`);
    }
    assert.equal(await page.getByRole("separator").count(), 0, "one pane has no border to move");
  }
  assert.deepEqual(await axe(page), []);
});

// Steps until a pass has written four times.
async function writeMuch(page) {
  await until("a pass has written four times", async () => {
    await page.evaluate(() => window.reconcile.stepCall());
    return ((await state(page)).pass?.action ?? []).length >= 4;
  });
  await settled(page);
}

test("however high the drawer is, the panes above it keep their room, and all six questions are in sight", async (t) => {
  const page = await lab.open(t);
  await writeMuch(page);
  const box = (selector) => page.locator(selector).boundingBox();
  for (const size of [sizes.projector, sizes.desktop]) {
    await page.setViewportSize(size);
    for (const tab of ["timeline", "keys", "report", "terminal"]) {
      await page.locator(`#tab-${tab}`).click();
      for (const drawer of ["usual", "tall", "closed"]) {
        await state(page);
        const where = `${tab}, ${drawer}, at ${size.width} by ${size.height}`;
        const [pipe, pass, objects, time] = [await box(".pipe"), await box(".pass"), await box(".objs"), await box(".time")];
        assert.ok(pipe.y + pipe.height <= pass.y && pass.y + pass.height <= time.y, `the pass lies at ${pass.y} to ${pass.y + pass.height}, the drawer at ${time.y}: ${where}`);
        assert.ok(objects.y + objects.height <= time.y && time.y + time.height <= size.height, `the drawer ends at ${time.y + time.height}: ${where}`);
        for (const id of ["desired", "observed", "diff", "action", "requeue", "status"]) {
          const beat = await testid(page, `beat-${id}`).boundingBox();
          assert.ok(beat.y >= pass.y && beat.y + beat.height <= pass.y + pass.height + 1, `${id} lies at ${beat.y} to ${beat.y + beat.height}, its panel at ${pass.y} to ${pass.y + pass.height}: ${where}`);
        }
        await page.locator(".time > .panel-head > .btn").last().click();
      }
    }
  }
});

test("all six questions are in sight whatever a pass writes", async (t) => {
  const page = await lab.open(t);
  await writeMuch(page);
  const pass = await testid(page, "pass").boundingBox();
  for (const id of ["desired", "observed", "diff", "action", "requeue", "status"]) {
    const box = await testid(page, `beat-${id}`).boundingBox();
    assert.ok(box.y >= pass.y && box.y + box.height <= pass.y + pass.height + 1, `${id} lies at ${box.y} to ${box.y + box.height}, its panel at ${pass.y} to ${pass.y + pass.height}`);
  }
  const last = page.locator('[data-testid="beat-action"] .write').last();
  const [inner, outer] = [await last.boundingBox(), await testid(page, "beat-action").boundingBox()];
  assert.ok(inner.y + inner.height <= outer.y + outer.height + 2, "the newest write is in sight");
  const hidden = await page.locator(".beat-body").evaluateAll((all) => all.map((b) => b.scrollHeight - b.clientHeight));
  assert.deepEqual(hidden.filter((pixels) => pixels > 0), [], "on a desktop no answer has to be scrolled");
});

test("the heads of the columns are whole words, or short ones", async (t) => {
  const page = await lab.open(t);
  for (const size of Object.keys(sizes)) {
    await page.setViewportSize(sizes[size]);
    if (size === "phone") await page.locator(".panes").getByRole("button", { name: "Objects" }).click();
    const shown = await page.locator(".table thead th").evaluateAll((heads) => heads.map((head) => {
      const box = head.getBoundingClientRect();
      const inside = ({ top, bottom, left, right, width }) => width > 0 && top >= box.top && bottom <= box.bottom && left >= box.left - 1 && right <= box.right + 1;
      const words = head.querySelector(".two") ? [...head.querySelectorAll(".long, .short")] : [head];
      return words.filter((word) => {
        const text = document.createRange();
        text.selectNodeContents(word);
        const lines = [...text.getClientRects()];
        return lines.length > 0 && lines.every(inside);
      }).map((word) => word.textContent);
    }));
    for (const [i, words] of shown.entries()) assert.ok(words.length > 0, `head ${i + 1} cannot be read at ${size}: ${JSON.stringify(shown)}`);
    assert.doesNotMatch(shown.flat().join(), /\u00ad/, "none is hyphenated");
  }
});

test("what has no clip has room: chips, marks and lines of the log in windows of all sizes", async (t) => {
  const page = await lab.open(t);
  // Texts of any length beside each other: edits, passes, a cache that is behind.
  for (let i = 0; i < 40; i++) await page.evaluate(() => window.reconcile.step());
  let seen = 0;
  for (const size of [sizes.desktop, sizes.projector, sizes.phone, { width: 1920, height: 1080 }, { width: 1280, height: 800 }, { width: 760, height: 900 }]) {
    await page.setViewportSize(size);
    for (let i = 0; i < 5; i++) await page.evaluate(() => window.reconcile.step());
    await settled(page);
    const { out, looked } = await page.evaluate(() => {
      const beyond = (inner, outer) => {
        const range = document.createRange();
        range.selectNodeContents(inner);
        return range.getBoundingClientRect().right > outer.getBoundingClientRect().right + 0.5;
      };
      const shown = (list) => [...document.querySelectorAll(list)].filter((e) => e.getClientRects().length > 0);
      const pairs = [
        ...shown(".chip > :last-child:not(.cut)").map((e) => [e, e.parentElement]),
        ...shown(".chip .full:not(.cut)").map((e) => [e, e.closest(".what")]),
        ...shown(".chip .what:not(.cut) > .kind").map((e) => [e, e.closest(".what")]),
        ...shown(".ev:not(.now) > span").map((e) => [e, e.parentElement]),
        ...shown(".time-body .log-line > .t").map((e) => [e, e.closest(".log")]),
      ];
      return { looked: pairs.length, out: pairs.filter(([a, b]) => beyond(a, b)).map(([a]) => a.className + " " + a.textContent) };
    });
    assert.deepEqual(out, [], `at ${size.width} pixels`);
    seen += looked;
  }
  assert.ok(seen > 100, `${seen} texts were looked at`);
});

test("the YAML of an object begins at its top, and stays where it was scrolled to while it changes", async (t) => {
  const page = await lab.open(t);
  for (let i = 0; i < 20; i++) await page.evaluate(() => window.reconcile.step());
  const yaml = page.locator(".detail > .yaml");
  const top = () => yaml.evaluate((box) => box.scrollTop);
  const show = async (key) => {
    await page.locator(`[id="object-${key}"]`).click();
    await settled(page);
  };
  await show("WebApp/default/plain");
  await yaml.evaluate((box) => { box.scrollTop = 120; });
  await until("the page knows that it is scrolled", () => yaml.getAttribute("data-scrolled").then((on) => on !== null));
  await page.evaluate(() => window.reconcile.apply("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\nspec:\n  message: more\n"));
  await settled(page);
  assert.equal(await top(), 120, "another version of the same object");
  await show("ConfigMap/default/plain-config");
  assert.equal(await top(), 0, "another object");
});

test("what is too long for a line of an object's YAML goes on further in than the line begins", async (t) => {
  const page = await lab.open(t);
  for (const size of Object.keys(sizes)) {
    await page.setViewportSize(sizes[size]);
    if (size === "phone") await page.locator(".panes").getByRole("button", { name: "Objects" }).click();
    const line = page.locator(".detail .ln", { hasText: "last-applied-configuration" });
    await line.waitFor();
    const lefts = await line.evaluate((box) => {
      const text = document.createRange();
      text.setStart(box.firstChild, box.textContent.indexOf("kubectl"));
      text.setEnd(box.firstChild, box.textContent.length);
      return [...text.getClientRects()].map((r) => r.left);
    });
    assert.ok(lefts.length > 1, `it fits in one line at ${size}`);
    for (const left of lefts.slice(1)) assert.ok(left > lefts[0] + 5, `it goes on at ${left} at ${size}, and begins at ${lefts[0]}`);
  }
});

test("what was recorded of a real API server is a link away, in sight in every window", async (t) => {
  const page = await lab.open(t);
  for (const size of [...Object.values(sizes), { width: 1280, height: 800 }, { width: 820, height: 900 }, { width: 720, height: 900 }]) {
    await page.setViewportSize(size);
    const link = page.getByRole("link", { name: "How true is it?" });
    const [box, head] = [await link.boundingBox(), await page.locator(".pipe > .panel-head").boundingBox()];
    assert.ok(box.x > head.x && box.x + box.width < head.x + head.width && box.y + box.height <= head.y + head.height, `it is at ${JSON.stringify(box)} in ${JSON.stringify(head)}`);
    const clash = await page.locator(".pipe > .panel-head > *").evaluateAll((all) => all.filter((n) => n.scrollWidth > n.clientWidth + 1 && !n.classList.contains("whole")).map((n) => n.className));
    assert.deepEqual(clash, [], `something is cut at ${size.width}`);
  }
  await page.setViewportSize(sizes.desktop);
  await page.keyboard.press("?");
  const [link, sheet] = [await page.getByRole("dialog").getByRole("link").first().boundingBox(), await page.getByRole("dialog").boundingBox()];
  assert.ok(link.y + link.height < sheet.y + sheet.height / 2, "it is at the top of the sheet");
  const [opened] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("dialog").getByRole("link", { name: "How true" }).click()]);
  await opened.getByRole("heading").first().waitFor();
});

test("on a phone every tab of the drawer is in sight", async (t) => {
  const page = await lab.open(t, { contextOptions: { viewport: sizes.phone } });
  await page.locator(".panes button").last().click();
  await page.locator("#tab-terminal").waitFor();
  const outside = await page.evaluate(() => [...document.querySelectorAll('[id^="tab-"]')]
    .filter((tab) => tab.getBoundingClientRect().right > innerWidth || tab.getBoundingClientRect().left < 0).map((tab) => tab.id));
  assert.deepEqual(outside, []);
});

test("on a phone the marks in the lanes lie beside each other, the step in view among them, wherever it is", async (t) => {
  const page = await lab.open(t, { contextOptions: { viewport: sizes.phone } });
  for (let i = 0; i < 60; i++) await page.evaluate(() => window.reconcile.step());
  await page.locator(".panes button").last().click();
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    for (let step = 60; step > 42; step--) {
      await page.evaluate((n) => window.reconcile.seek(n), step);
      const { marks, now, room } = await page.evaluate(() => {
        const box = (e) => (({ left, right, top }) => ({ left, right, top }))(e.getBoundingClientRect());
        return { marks: [...document.querySelectorAll(".ev > i")].map(box), now: [...document.querySelectorAll("button.ev.now")].map(box), room: box(document.querySelector(".lane-box")) };
      });
      for (const [i, a] of marks.entries()) {
        for (const b of marks.slice(i + 1)) assert.ok(Math.abs(a.top - b.top) > 8 || a.right <= b.left + 0.5 || b.right <= a.left + 0.5, `two marks lie over each other at step ${step}, ${width} pixels`);
      }
      assert.equal(now.length, 1);
      assert.ok(now[0].left >= room.left - 0.5 && now[0].left + 17 <= room.right + 0.5, `the mark of step ${step} lies at ${now[0].left}, the lanes at ${room.left} to ${room.right}`);
    }
  }
  // By touch and by keys one goes to a step that is in sight.
  await page.locator("button.ev").first().click();
  const first = (await settled(page)).timeline.step;
  assert.ok(first < 43);
  await page.locator("button.ev").last().focus();
  await page.keyboard.press("Enter");
  assert.ok((await settled(page)).timeline.step > first);
});

test("in the narrowest window every button of the bar below is there as a whole", async (t) => {
  const page = await lab.open(t, { contextOptions: { viewport: { width: 320, height: 640 } } });
  const bar = page.locator(".transport");
  assert.equal(await bar.getByRole("button").count(), 7);
  for (const button of await bar.getByRole("button").all()) {
    const { x, width, clipped } = await button.evaluate((b) => ({ x: b.getBoundingClientRect().x, width: b.getBoundingClientRect().width, clipped: b.scrollWidth - b.clientWidth }));
    assert.ok(x >= 0 && x + width <= 320 && clipped <= 0, `${await button.innerText()} lies at ${x} to ${x + width}, ${clipped} pixels of it are cut`);
  }
  await testid(page, "step").click();
  assert.deepEqual(await axe(page), []);
});

test("beside the terminal the whole loop is in sight, and Apply below what was said of a file", async (t) => {
  const page = await lab.open(t);
  await page.keyboard.press("\\");
  await page.evaluate(() => document.activeElement.blur());
  const inside = async (inner, outer) => {
    const [a, b] = [await page.locator(inner).boundingBox(), await page.locator(outer).boundingBox()];
    assert.ok(a.y >= b.y && a.y + a.height <= b.y + b.height, `${inner} lies at ${a.y} to ${a.y + a.height}, ${outer} at ${b.y} to ${b.y + b.height}`);
  };
  for (const place of ["worker", "queue", "cloud"]) await inside(`[data-testid="${place}"]`, ".pipe");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(`apiVersion: lab.example.com/v9\nkind: ${"Long".repeat(60)}\nmetadata:\n  name: f\n`);
  await page.keyboard.press("ControlOrMeta+Enter");
  await testid(page, "apply-error").locator("visible=true").waitFor();
  await inside('[data-testid="apply"]', ".files");
});

test("on a phone a table at the terminal is scrolled sideways, its rows are not broken", async (t) => {
  const page = await lab.open(t, { contextOptions: { viewport: sizes.phone } });
  await page.locator(".panes").getByRole("button", { name: "Timeline" }).click();
  await page.keyboard.press("\\");
  await page.locator("#terminal-input").fill("kubectl get wa -o wide");
  await page.keyboard.press("Enter");
  const table = page.locator(".term-out");
  await table.waitFor();
  const [lines, height, wider] = await table.evaluate((pre) => [pre.textContent.trim().split("\n").length, pre.clientHeight / Number.parseFloat(getComputedStyle(pre).lineHeight), pre.scrollWidth > pre.clientWidth]);
  assert.ok(wider && height < lines + 1, `${lines} rows take ${height}`);
});

test("a document beside the page breaks no word inside", async (t) => {
  const page = await lab.open(t, { contextOptions: { viewport: sizes.phone } });
  await page.goto(`${lab.site.url}fidelity.html`);
  const broken = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const out = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!/^[A-Za-z]{6,}$/.test(node.data)) continue;
      const text = document.createRange();
      text.selectNodeContents(node);
      if (text.getClientRects().length > 1) out.push(node.data);
    }
    return out;
  });
  assert.deepEqual(broken, []);
});
