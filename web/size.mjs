// Prints what a first visit loads from dist, and fails where that is over the budget.
//
//   node web/size.mjs DIST TOTAL_GZIP WASM_GZIP RULES_GZIP SCRIPTS_GZIP [--brotli]
//
// The budgets are bytes. A first visit loads every file but those of later.mjs and the unpacked WebAssembly,
// which only browsers without DecompressionStream ask for. The scripts of later.mjs follow when the page is there.
// rules.wasm and scripts.wasm, when first used, have budgets of their own.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { later } from "./later.mjs";

const [dist, totalBudget, wasmBudget, rulesBudget, scriptsBudget, brotli] = process.argv.slice(2);
const small = (name) => later.includes(name) && name.endsWith(".js");
const number = (n) => String(n).padStart(10);
const rows = readdirSync(dist)
  .filter((name) => !name.startsWith(".") && (!name.endsWith(".gz") || name.endsWith(".wasm.gz")) && !name.endsWith(".wasm"))
  .map((name) => {
    const packed = name.endsWith(".wasm.gz");
    const bytes = readFileSync(join(dist, name));
    const raw = packed ? gunzipSync(bytes) : bytes;
    const gzip = packed ? bytes.length : gzipSync(raw, { level: 9 }).length;
    return { name: packed ? name.slice(0, -3) : name, raw, gzip, first: !later.includes(name) };
  })
  .sort((a, b) => b.gzip - a.gzip);

console.log(`${"raw".padStart(10)} ${"gzip".padStart(10)}${brotli ? ` ${"brotli".padStart(10)}` : ""}  file`);
for (const { name, raw, gzip, first } of rows) {
  const br = brotli ? ` ${number(brotliCompressSync(raw).length)}` : "";
  console.log(`${number(raw.length)} ${number(gzip)}${br}  ${name}${first ? "" : small(name) ? ", when the page is there" : ", when first used"}`);
}
const total = rows.filter((row) => row.first).reduce((sum, row) => sum + row.gzip, 0);
const wasm = rows.find((row) => row.name === "app.wasm").gzip;
const rules = rows.find((row) => row.name === "rules.wasm").gzip;
console.log(`first visit: ${total} bytes gzip of ${totalBudget}; wasm: ${wasm} of ${wasmBudget}`);
console.log(`kept when the page is there: ${rows.filter((row) => small(row.name)).reduce((sum, row) => sum + row.gzip, 0)}`);
const scripts = rows.find((row) => row.name === "scripts.wasm").gzip;
console.log(`rules, when first used: ${rules} of ${rulesBudget}`);
if (total > Number(totalBudget) || wasm > Number(wasmBudget)) {
  console.error("The first visit loads more than its budget (Makefile: BUDGET_TOTAL, BUDGET_WASM).");
  process.exit(1);
}
if (rules > Number(rulesBudget)) {
  console.error("The evaluator of rules loads more than its budget (Makefile: BUDGET_RULES).");
  process.exit(1);
}
console.log(`scripts, when first used: ${scripts} of ${scriptsBudget}`);
if (scripts > Number(scriptsBudget)) {
  console.error("The engine that runs scripts loads more than its budget (Makefile: BUDGET_SCRIPTS).");
  process.exit(1);
}
