// What proving the whole life of the lab takes: every fault at every place, and every other order. On a machine that
// does other things too, the time of the processors says more than that of the clock.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { root } from "./harness.mjs";
import { useLab } from "./lab.mjs";

const lab = useLab({ optimised: true });

// SCRIPTS=FILE,... names others.
const scripts = (env.SCRIPTS ?? "core/script/testdata/lab/plain.sh,core/script/testdata/lab/compare.sh").split(",");

for (const file of ["", ...scripts]) {
  test(`depth 1 of the lab with ${file ? basename(file) : "the reference in Go"}`, async (t) => {
    const page = await lab.open(t);
    const browser = await lab.browser.newBrowserCDPSession();
    const spent = async () => (await browser.send("SystemInfo.getProcessInfo")).processInfo
      .filter((p) => p.type === "renderer").reduce((sum, p) => sum + p.cpuTime, 0);
    if (file) {
      await page.evaluate((text) => window.reconcile.setScript(text), readFileSync(join(root, file), "utf8"));
    }
    const before = await spent();
    const proof = await page.evaluate(async () => {
      const from = performance.now();
      const { bounds, verdict } = await window.reconcile.prove();
      return { runs: bounds.runs, verdict, time: (performance.now() - from) / 1000 };
    });
    const cpu = await spent() - before;
    t.diagnostic(`${proof.verdict}: ${proof.runs} runs in ${proof.time.toFixed(1)} s, ${cpu.toFixed(1)} s of the processors: ${(proof.runs / proof.time).toFixed(0)} runs a second`);
  });
}
