// Prints what a first visit loads from dist, and fails where that is over the budget.
//
//   node web/size.mjs DIST TOTAL_GZIP WASM_GZIP [--brotli]
//
// The budgets are bytes. A first visit loads every file but those of later.mjs and the unpacked app.wasm,
// which only browsers without DecompressionStream ask for.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { later } from "./later.mjs";

const [dist, totalBudget, wasmBudget, brotli] = process.argv.slice(2);
const number = (n) => String(n).padStart(10);
const rows = readdirSync(dist)
  .filter((name) => !name.startsWith(".") && (!name.endsWith(".gz") || name === "app.wasm.gz") && name !== "app.wasm")
  .map((name) => {
    const packed = name === "app.wasm.gz";
    const raw = readFileSync(join(dist, packed ? "app.wasm" : name));
    const gzip = packed ? readFileSync(join(dist, name)).length : gzipSync(raw, { level: 9 }).length;
    return { name: packed ? "app.wasm" : name, raw, gzip };
  })
  .sort((a, b) => b.gzip - a.gzip);

console.log(`${"raw".padStart(10)} ${"gzip".padStart(10)}${brotli ? ` ${"brotli".padStart(10)}` : ""}  file`);
for (const { name, raw, gzip } of rows) {
  const br = brotli ? ` ${number(brotliCompressSync(raw).length)}` : "";
  console.log(`${number(raw.length)} ${number(gzip)}${br}  ${name}${later.includes(name) ? ", when first used" : ""}`);
}
const total = rows.filter((row) => !later.includes(row.name)).reduce((sum, row) => sum + row.gzip, 0);
const wasm = rows.find((row) => row.name === "app.wasm").gzip;
console.log(`first visit: ${total} bytes gzip of ${totalBudget}; wasm: ${wasm} of ${wasmBudget}`);
if (total > Number(totalBudget) || wasm > Number(wasmBudget)) {
  console.error("The first visit loads more than its budget (Makefile: BUDGET_TOTAL, BUDGET_WASM).");
  process.exit(1);
}
