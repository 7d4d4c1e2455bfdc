// What each library weighs in a module: node web/weigh.mjs MODULE.wasm... Bytes of code by the module's own names of
// its functions, before gzip, so the modules are built without -s (make weigh). Data counts for nothing here.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

// The linker writes names with _ for all but letters, digits and dots.
const libraries = [
  "github.com/itchyny/gojq", "github.com/itchyny/timefmt-go", "github.com/benhoyt/goawk", "mvdan.cc/sh", "sigs.k8s.io/structured-merge-diff",
  "github.com/tidwall/btree", "github.com/hack-pad", "honnef.co/go/js/dom", "go.yaml.in/yaml", "golang.org/x/tools/txtar",
  "github.com/reconcile-playground/reconcile",
];

/** Bytes of code by the name of each function. */
function functions(bytes) {
  let at = 8;
  const number = () => {
    let n = 0;
    for (let shift = 1, byte = 128; byte & 128; shift *= 128) n += ((byte = bytes[at++]) & 127) * shift;
    return n;
  };
  const skip = () => {
    const length = number();
    at += length;
  };
  const text = () => {
    const length = number();
    return bytes.toString("utf8", at, (at += length));
  };
  const sizes = [];
  const names = [];
  let imported = 0;
  while (at < bytes.length) {
    const section = bytes[at++];
    const length = number();
    const end = at + length;
    if (section === 2) {
      for (let n = number(); n > 0; n--) {
        skip();
        skip();
        if (bytes[at++] !== 0) throw new Error("something other than a function is imported");
        number();
        imported++;
      }
    } else if (section === 10) {
      for (let n = number(); n > 0; n--) {
        const size = number();
        sizes.push(size);
        at += size;
      }
    } else if (section === 0 && text() === "name") {
      while (at < end) {
        const kind = bytes[at++];
        const size = number();
        const stop = at + size;
        if (kind === 1) for (let n = number(); n > 0; n--) names[number()] = text();
        at = stop;
      }
    }
    at = end;
  }
  if (names.length === 0) throw new Error("the module has no names: build it without -s");
  return sizes.map((size, i) => ({ size, name: names[i + imported] ?? "" }));
}

for (const file of process.argv.slice(2)) {
  const by = new Map();
  let total = 0;
  for (const { size, name } of functions(readFileSync(file))) {
    const library = libraries.find((l) => name.includes(l.replace(/[^\w.]/g, "_"))) ?? "Go's own, and the rest";
    by.set(library, (by.get(library) ?? 0) + size);
    total += size;
  }
  console.log(`${basename(file)}: ${Math.round(total / 1000)} KB of code`);
  for (const [library, size] of [...by].sort((a, b) => b[1] - a[1])) console.log(`${String(Math.round(size / 1000)).padStart(8)} KB  ${library}`);
}
