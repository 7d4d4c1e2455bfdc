// Runs the specs of this folder, one process each, JOBS at a time (one more than there
// are cores, six at most: some wait for the browser); benchmarks and soaks one by one.
//
//   node web/e2e/run.mjs [WORD]...        the specs whose name holds one of the words; all without
//   node web/e2e/run.mjs --bench          the *.bench.mjs files instead
//
// At the end stand the ten slowest tests; the last line is "N passed, N failed". SOAK=1 makes the long ones long.

import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { argv, env, exit, stdout } from "node:process";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const words = argv.slice(2).filter((arg) => !arg.startsWith("--"));
const kind = argv.includes("--bench") ? ".bench.mjs" : ".spec.mjs";
// What takes longest begins first, so that nothing is waited for alone at the end.
const longest = ["kill-page", "scripts", "incidents", "a11y", "kill", "main", "insight", "hostile", "offline", "journey-storage", "rules", "links", "lessons"];
const place = (name) => (longest.includes(name.replace(kind, "")) ? longest.indexOf(name.replace(kind, "")) : longest.length);
const files = readdirSync(here)
  .filter((name) => name.endsWith(kind) && (words.length === 0 || words.some((word) => name.includes(word))))
  .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
  .map((name) => join(here, name));
if (files.length === 0) {
  console.error(`no ${kind} file has ${words.join(" or ")} in its name`);
  exit(2);
}

const took = [];
let passed = 0;
let failed = 0;
const alone = env.SOAK || kind === ".bench.mjs";
const tests = run({ files, concurrency: alone ? 1 : Number(env.JOBS ?? Math.min(availableParallelism() + 1, 6)), timeout: env.SOAK ? 3600000 : 480000 });
tests.on("test:pass", ({ name, file, details, skip }) => {
  if (details.type === "suite" || skip !== undefined) return;
  passed++;
  took.push({ name, file: basename(file ?? ""), ms: details.duration_ms });
});
tests.on("test:fail", ({ details }) => {
  if (details.type !== "suite") failed++;
});
const report = tests.compose(new spec());
report.pipe(stdout);
report.on("end", () => {
  console.log("the slowest:");
  for (const { name, file, ms } of took.toSorted((a, b) => b.ms - a.ms).slice(0, 10)) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}: ${name}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) exit(1);
});
