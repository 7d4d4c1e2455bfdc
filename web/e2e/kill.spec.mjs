// Whatever is killed, whenever: every commit that was acknowledged is there afterwards, and no half step.
//
// 20 kills, 500 with SOAK=1: of the worker, of the page, and of the whole browser with SIGKILL, in turn,
// each at a random moment of a run of commits.
//
// Chromium itself may lose what is stored when it is killed: it goes on writing behind a record that the kill cut
// off, and a later start finds that, and deletes the whole database ("a corrupted (and deleted) database" in its
// log). No page can prevent that; ours says so when it opens. Such losses are counted and told, and bounded.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, kill } from "node:process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { findChromium, launchOptions } from "./chromium.mjs";
import { dist, serve } from "./harness.mjs";
import { startTest, testPage } from "./gotest.mjs";

const kills = env.SOAK ? 500 : 20;
const seed = Number(env.SEED ?? Date.now() % 1e9);

// mulberry32: small, and the same everywhere.
function random(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// A Chromium whose process is ours to kill, on a profile that outlives it.
async function startBrowser(profile) {
  const portFile = join(profile, "DevToolsActivePort");
  rmSync(portFile, { force: true });
  const child = spawn(findChromium(), [...launchOptions().args, "--headless", "--enable-logging=stderr", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"], detached: true });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => { log += text; });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (!existsSync(portFile) || readFileSync(portFile, "utf8").split("\n").length < 2) await sleep(20);
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(portFile, "utf8").split("\n")[0]}`);
  return {
    context: browser.contexts()[0],
    // Whether this process found its own database damaged, and deleted it.
    threwAway: () => log.includes("corrupted (and deleted) database"),
    async kill() {
      kill(-child.pid, "SIGKILL");
      await ended;
      await browser.close().catch(() => {});
    },
  };
}

test(`${kills} kills, seed ${seed} (again with SEED=${seed})`, { timeout: env.SOAK ? 3500000 : 420000 }, async (t) => {
  const next = random(seed);
  const profile = mkdtempSync(join(tmpdir(), "reconcile-kill-"));
  const site = await serve(dist, { overlay: testPage("./web/storage") });
  let browser = await startBrowser(profile);
  t.after(async () => {
    await browser.kill();
    await site.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const open = async () => {
    const page = await browser.context.newPage();
    await page.goto(site.url);
    return page;
  };

  const ways = {
    worker: async () => endWorker(),
    page: async () => {
      await page.close();
      page = await open();
    },
    browser: async () => {
      await browser.kill();
      browser = await startBrowser(profile);
      page = await open();
    },
  };
  let page = await open();
  const endWorker = () => page.evaluate(() => globalThis.testWorker.terminate());
  let total = 0;
  let acknowledged = 0;
  let thrownAway = 0;
  for (let n = 0; n < kills; n++) {
    const way = Object.keys(ways)[n % 3];
    const from = acknowledged;
    let begun;
    const began = new Promise((resolve) => { begun = resolve; });
    const lines = [];
    const onLine = (line) => {
      lines.push(line);
      if (!line.startsWith("ACK ")) return;
      acknowledged = Number(line.slice(4));
      begun();
    };
    const ended = startTest(page, { args: ["-test.run=^TestKillWrite$", "-test.v"], env: { KILL: "write" }, onLine }).catch(() => {});
    await Promise.race([began, ended.then(() => assert.fail(`the writer ended:\n${lines.join("\n")}`))]);
    await sleep(next() * 300);
    await ways[way]();

    const found = [];
    const verify = () => startTest(page, {
      args: ["-test.run=^TestKillVerify$", "-test.v"],
      env: { KILL: "verify", ACKNOWLEDGED: String(acknowledged) },
      onLine: (line) => found.push(line),
    });
    let code = await verify();
    if (code !== 0 && way === "browser" && browser.threwAway()) {
      thrownAway++;
      acknowledged = 0;
      found.length = 0;
      code = await verify();
    }
    assert.equal(code, 0, `kill ${n} (${way}) after step ${acknowledged}:\n${found.join("\n")}`);
    total += acknowledged - from;
    acknowledged = Number(found.find((line) => line.startsWith("VERIFIED ")).slice(9));
    await endWorker();
  }
  assert.ok(thrownAway <= Math.ceil(kills / 30) + 1, `Chromium threw its database away after ${thrownAway} of ${kills} kills`);
  t.diagnostic(`${kills} kills, ${total} commits acknowledged; Chromium threw its own database away ${thrownAway} times`);
});
