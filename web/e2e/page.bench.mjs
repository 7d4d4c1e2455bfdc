// Times of the page in a real Chromium. Nothing here judges; the figures are for comparing two builds on
// one machine.

import { test } from "node:test";
import { goTests } from "./gotest.mjs";
import { launch, openPage, serve, dist } from "./harness.mjs";

const ms = (n) => `${n.toFixed(1)} ms`;

function spread(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return `p50 ${ms(at(0.5))}, p95 ${ms(at(0.95))}`;
}

function configMaps(count) {
  return Array.from({ length: count }, (_, i) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bench-${i}\n  namespace: default\ndata:\n  n: "${i}"\n`).join("---\n");
}

test("navigation to ready", async (t) => {
  const site = await serve(dist);
  const browser = await launch();
  const times = [];
  for (let i = 0; i < 7; i++) {
    const page = await openPage(browser, site.url);
    times.push(await page.evaluate(() => performance.now()));
    await page.context().close();
  }
  t.diagnostic(`first visit, navigation to ready: ${spread(times)}`);
  await browser.close();
  await site.close();
});

for (const count of [100, 1000]) {
  test(`step to painted at ${count} objects`, async (t) => {
    const site = await serve(dist);
    const browser = await launch();
    const page = await openPage(browser, site.url);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable");
    const busy = async () => (await devtools.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
    const started = performance.now();
    await page.evaluate((yaml) => window.reconcile.apply(yaml), configMaps(count));
    t.diagnostic(`apply of ${count} objects: ${ms(performance.now() - started)}`);
    const painted = [];
    const work = [];
    for (let i = 0; i < 60; i++) {
      const before = await busy();
      const took = await page.evaluate(async () => {
        const start = performance.now();
        try {
          await window.reconcile.step();
        } catch {
          return null; // nothing is left to happen
        }
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return performance.now() - start;
      });
      if (took === null) break;
      painted.push(took);
      work.push((await busy()) - before);
    }
    t.diagnostic(`${painted.length} steps to painted: ${spread(painted)}; main thread busy: ${spread(work)}`);
    await browser.close();
    await site.close();
  });
}

await goTests("./web/storage", { only: ["TestTimes"] });
