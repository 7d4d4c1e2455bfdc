// What proving the whole life of the lab takes: every fault at every place, and every other order. On a machine that
// does other things too, the time of the processors says more than that of the clock. And how long the page's thread was
// busy without a break, from the command to the verdict.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { env } from "node:process";
import { test } from "node:test";
import { root } from "./harness.mjs";
import { useLab } from "./lab.mjs";

const lab = useLab({ optimised: true });

// SCRIPTS=FILE,... names others.
const scripts = (env.SCRIPTS ?? "core/script/testdata/lab/plain.sh,core/script/testdata/lab/compare.sh").split(",");

// The tasks of the page's thread in a trace, in milliseconds by the clock (dur) and of the thread's own time (tdur). A
// browser has such a thread for each of its pages: this one's is the busiest.
function tasksOf({ traceEvents }) {
  const threads = traceEvents.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain");
  const all = threads.map(({ pid, tid }) => traceEvents.filter((e) => e.pid === pid && e.tid === tid && e.name === "ThreadControllerImpl::RunTask")
    .map(({ dur = 0, tdur = 0 }) => ({ dur: dur / 1000, tdur: tdur / 1000 })));
  const work = (tasks) => tasks.reduce((sum, task) => sum + task.tdur, 0);
  return all.toSorted((a, b) => work(b) - work(a))[0];
}

for (const file of ["", ...scripts]) {
  test(`depth 1 of the lab with ${file ? basename(file) : "the reference in Go"}`, async (t) => {
    const page = await lab.open(t);
    const browser = await lab.browser.newBrowserCDPSession();
    const spent = async () => (await browser.send("SystemInfo.getProcessInfo")).processInfo
      .filter((p) => p.type === "renderer").reduce((sum, p) => sum + p.cpuTime, 0);
    if (file) {
      await page.evaluate((text) => window.reconcile.setScript(text), readFileSync(join(root, file), "utf8"));
    }
    await lab.browser.startTracing(page, { categories: ["toplevel"] });
    const before = await spent();
    const proof = await page.evaluate(async () => {
      const from = performance.now();
      const { bounds, verdict } = await window.reconcile.prove();
      return { runs: bounds.runs, verdict, time: (performance.now() - from) / 1000 };
    });
    const cpu = await spent() - before;
    const tasks = tasksOf(JSON.parse(await lab.browser.stopTracing()));
    t.diagnostic(`${proof.verdict}: ${proof.runs} runs in ${proof.time.toFixed(1)} s, ${cpu.toFixed(1)} s of the processors: ${(proof.runs / proof.time).toFixed(0)} runs a second`);
    const long = tasks.filter((task) => task.dur > 50).toSorted((a, b) => b.tdur - a.tdur);
    t.diagnostic(`tasks of the page's thread over 50 ms: ${long.length}` + (long.length ? `, the one of most work took ${long[0].tdur.toFixed(0)} ms of the thread's own time` : "") +
      `; the most of all: ${Math.max(...tasks.map((task) => task.tdur)).toFixed(0)} ms`);
  });
}
