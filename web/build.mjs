// Assembles the folder that any static host can serve: dist/.
//
//   node web/build.mjs WASM SCRIPTS_WASM RULES_WASM WASM_EXEC DIST
//
// Every address in it is relative and carries the version, which is a hash of everything inside: two
// versions never share an address. Next to each file that gains by it lies its gzip form (NAME.gz), for
// servers that look for it; the page itself asks for app.wasm.gz and unpacks it where the host did not.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, constants } from "node:zlib";
import { build } from "esbuild";

import { documentPage } from "./document.mjs";
import { later } from "./later.mjs";
import { load } from "./load.mjs";
import { pack, thin } from "./pack.mjs";
import { whole } from "./whole.mjs";

const [wasm, scriptsWasm, rulesWasm, wasmExec, dist] = process.argv.slice(2);
if (!dist) {
  console.error("usage: node web/build.mjs WASM SCRIPTS_WASM RULES_WASM WASM_EXEC DIST");
  process.exit(2);
}

const hash = (bytes, encoding) => createHash("sha256").update(bytes).digest(encoding);

// gzip writes no time and no name, so the same input gives the same bytes.
const gzip = (bytes) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });

async function bundle(entry, options = {}) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    write: false,
    ...options,
  });
  return Buffer.from(result.outputFiles[0].contents);
}

// What a file that is loaded on first use exports stands in globalThis.reconcileLater, under the file's name.
function bundleLater(entry, name) {
  return bundle(entry, {
    globalName: "reconcileLoaded",
    loader: { ".css": "text", ".md": "text", ".sh": "text", ".txtar": "text" },
    footer: { js: `(globalThis.reconcileLater??={})[${JSON.stringify(name)}]=reconcileLoaded;` },
  });
}

async function sources() {
  const files = new Map();
  for (const name of readdirSync("static").sort()) files.set(name, readFileSync(join("static", name)));
  files.set("app.wasm", pack(readFileSync(wasm)));
  files.set("scripts.wasm", pack(readFileSync(scriptsWasm)));
  files.set("rules.wasm", pack(readFileSync(rulesWasm)));
  files.set("wasm_exec.js", readFileSync(wasmExec));
  files.set("editor.js", await bundle("web/page.mjs"));
  files.set("plots.js", await bundleLater("web/plots.mjs", "plots.js"));
  files.set("panels.js", await bundleLater("web/panels/panels.mjs", "panels.js"));
  files.set("bundle.js", await bundleLater("web/bundle/bundle.mjs", "bundle.js"));
  files.set("link.js", await bundleLater("web/link.mjs", "link.js"));
  return files;
}

// The page makes the very module of what it loads.
async function check(name, { bytes, left }) {
  const made = await new Response(new Blob([bytes]).stream().pipeThrough(whole(left))).arrayBuffer();
  if (!Buffer.from(made).equals(files.get(name))) throw new Error(`${name} cannot be made whole again: see web/pack.mjs`);
}

function fill(files, name, values) {
  let text = files.get(name).toString("utf8");
  for (const [key, value] of Object.entries(values)) text = text.replaceAll(`__${key}__`, () => value);
  const left = text.match(/__[A-Z]+__/);
  if (left) throw new Error(`${name}: nothing to put in place of ${left[0]}`);
  // Lines of comment are for who reads the source.
  files.set(name, Buffer.from(text.replace(/^\s*\/\/.*\n/gm, "")));
}

// What no first visit loads: the service worker keeps each once it was asked for.
const documents = new Map(["fidelity", "scripts"].map((name) => [name + ".html", readFileSync(`docs/${name}.md`, "utf8")]));

const files = await sources();
const loader = load.toString();
const made = await bundle("web/whole.mjs", { globalName: "made" });
const version = hash([loader, made, ...documents.values()].join("") + JSON.stringify([...files].map(([name, bytes]) => [name, hash(bytes, "hex")])), "hex").slice(0, 12);

const unpacked = ["app.wasm", "scripts.wasm", "rules.wasm"];
const thinned = new Map(unpacked.map((name) => [name, thin(files.get(name))]));
for (const name of unpacked) files.set(name + ".gz", gzip(thinned.get(name).bytes));
for (const name of unpacked) await check(name, thinned.get(name));
const left = Object.fromEntries(unpacked.map((name) => [name, thinned.get(name).left]));
const sizes = Object.fromEntries(["app.wasm", "scripts.wasm"].flatMap((name) => [name, name + ".gz"]).map((name) => [name, files.get(name).length]));
const loads = { VERSION: version, LOAD: loader, WHOLE: `(() => { ${made} return made.whole; })()` };
const { "app.wasm": first, ...others } = left;
fill(files, "index.html", { VERSION: version });
fill(files, "boot.js", { ...loads, SIZES: JSON.stringify(sizes), LEFT: JSON.stringify(first) });
fill(files, "worker.js", { ...loads, LEFT: JSON.stringify(others) });

for (const [name, text] of documents) files.set(name, Buffer.from(documentPage(text, version)));

// What the service worker keeps. A host that marks a .wasm.gz as content-encoding: gzip hands it over
// unpacked, so both forms are the right one.
const kept = [...files.keys()].filter((name) => name !== "sw.js" && !unpacked.includes(name)).map((name) => {
  const hashes = [hash(files.get(name), "hex")];
  const loaded = thinned.get(name.slice(0, -3));
  if (loaded) hashes.push(hash(loaded.bytes, "hex"));
  return [name, ...hashes];
});
const list = (wanted) => JSON.stringify(kept.filter(([name]) => later.includes(name) === wanted));
fill(files, "sw.js", { VERSION: version, FILES: list(false), LATER: list(true) });

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
for (const [name, bytes] of files) {
  writeFileSync(join(dist, name), bytes);
  if (name.endsWith(".gz") || unpacked.includes(name) || bytes.length < 1024) continue;
  writeFileSync(join(dist, `${name}.gz`), gzip(bytes));
}
writeFileSync(join(dist, ".nojekyll"), "");
console.log(`${dist}: version ${version}`);
