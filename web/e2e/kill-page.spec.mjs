// The page dies at random moments while it steps: every step that it called done is there afterwards, and
// none by half. SOAK=1 makes it 200 deaths; SEED repeats a run.

import assert from "node:assert/strict";
import { env } from "node:process";
import { test } from "node:test";
import { openPage, sizes, state, whenReady } from "./harness.mjs";
import { stored, useLab } from "./lab.mjs";

const deaths = env.SOAK ? 200 : 20;
const seed = Number(env.SEED ?? Date.now() % 1000000);
const lab = useLab();

function random(from) {
  let a = from >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Steps without end, and where nothing is left acts: edits, deletions, crashes. Tells of each act that is done.
function actWithoutEnd(from) {
  const edit = (n) => "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\nspec:\n" +
    `  message: edit ${n}\n  loadBalancer: ${n % 2 === 0}\n`;
  const acts = [
    (n) => window.reconcile.apply(edit(n)),
    () => window.reconcile.crash().then(() => window.reconcile.restart()),
    () => window.reconcile.delete("ConfigMap/default/plain-config", "Background"),
    () => window.reconcile.advance("31s"),
  ];
  const run = async () => {
    for (let n = from; ; n++) {
      const events = await (n % 5 === 4 ? acts[Math.floor(n / 5) % acts.length](n) : window.reconcile.step()).catch(() => []);
      for (const event of [events].flat()) globalThis.acknowledged(event.n, event.action);
    }
  };
  run();
}

const ways = {
  close: (page) => page.close(),
  crash: async (page, devtools) => {
    const dead = page.waitForEvent("crash");
    devtools.send("Page.crash").catch(() => {});
    await dead;
    await page.close();
  },
  // Gone again before it is up: a page that is closed at that moment may keep the browser from answering.
  reload: async (page, devtools) => {
    await page.reload({ waitUntil: "commit" });
    await ways.crash(page, devtools);
  },
};

// What is stored agrees with itself: as many choices as the head says, no object newer than its revision.
function checkStored(all, acknowledged) {
  const { step, snapshot } = all.meta.head;
  const choices = Object.entries(all.choices).sort().map(([, text]) => text);
  assert.equal(choices.length, step);
  for (const [n, action] of acknowledged) assert.equal(choices[n - 1], action, `step ${n}`);
  const revision = snapshot.server.store.revision;
  for (const [key, object] of Object.entries(all.objects)) {
    assert.ok(Number(object.metadata.resourceVersion) <= revision, `${key} is newer than revision ${revision}`);
  }
  return step;
}

test(`${deaths} deaths of the page, seed ${seed} (again with SEED=${seed})`, { timeout: env.SOAK ? 3000000 : 240000 }, async (t) => {
  const next = random(seed);
  // A small window: what is drawn is not what this is about.
  const context = await lab.browser.newContext({ serviceWorkers: "block", reducedMotion: "reduce", viewport: sizes.phone });
  context.setDefaultTimeout(60000);
  t.after(() => context.close());
  // Looks at the storage from a page of the same origin that runs nothing.
  const looker = await context.newPage();
  await looker.goto(`${lab.site.url}icon.svg`);
  const acknowledged = new Map();
  let total = 0;
  let page = await openPage(lab.browser, lab.site.url, { context });
  for (let n = 0; n < deaths; n++) {
    const way = Object.keys(ways)[n % 3];
    const devtools = await context.newCDPSession(page);
    // The random moment: so many steps are done, and the next is under way.
    let wait = 1 + Math.floor(next() * 12);
    let enough;
    const reached = new Promise((resolve) => { enough = resolve; });
    await page.exposeFunction("acknowledged", (step, action) => {
      acknowledged.set(step, action);
      total++;
      if (--wait === 0) enough();
    });
    await page.evaluate(actWithoutEnd, Math.floor(next() * 1000));
    await reached;
    await ways[way](page, devtools);

    const step = checkStored(await stored(looker), acknowledged);
    page = await openPage(lab.browser, lab.site.url, { context });
    const s = await state(page);
    // The timeline, played again, gave the stored objects: else they would have won, said aloud.
    assert.deepEqual([s.timeline.length, s.storage], [step + 1, "saved"], `death ${n} (${way})`);
    const said = await page.locator(".banner").allInnerTexts();
    assert.deepEqual(said.map((text) => /was reloaded/.test(text)), [true], said.join("\n"));
    acknowledged.set(step + 1, "reload");
  }
  t.diagnostic(`${deaths} deaths, ${total} steps acknowledged`);
});

test("a cluster that was interrupted at will still converges", async (t) => {
  const page = await lab.open(t);
  for (let n = 0; n < 6; n++) {
    await page.evaluate(async (steps) => {
      for (let i = 0; i < steps; i++) await window.reconcile.step();
    }, 3 + n);
    await page.reload();
    await whenReady(page);
  }
  await page.evaluate(() => window.reconcile.runToQuiet());
  const s = await state(page);
  const apps = s.objects.filter((o) => o.kind === "WebApp");
  assert.deepEqual(apps.map((o) => o.status.phase), ["Ready", "Ready", "Pending"]);
  assert.equal(s.cloud.length, 1);
});
