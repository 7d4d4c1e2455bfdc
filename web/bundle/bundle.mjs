// Packs a folder to take along and offers it as a zip. Bundled as bundle.js and loaded when one is first asked for,
// with the files that are the same in each bundle of the lab.

import cloud from "./cloud.sh";
import readme from "./README.md";
import run from "./run.sh";
import lab9 from "../../core/scenario/library/downloads/lab-9.txtar";

/** What stands beside a document of the library to take away. */
const projects = { "lab-9": lab9 };

const crcTable = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc32(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = crcTable[(c ^ b) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Numbers in two or four bytes, the lowest first. */
function little(...fields) {
  const out = [];
  for (const [size, value] of fields) for (let i = 0; i < size; i++) out.push((value >>> (8 * i)) & 0xff);
  return Uint8Array.from(out);
}

/** A zip of [{name, text}], stored as they are; what begins with #! may be run. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { name, text } of files) {
    const path = new TextEncoder().encode(name);
    const bytes = new TextEncoder().encode(text);
    // Names in UTF-8, nothing packed, the time 2026-01-01 00:00.
    const common = little([2, 20], [2, 0x0800], [2, 0], [2, 0], [2, (46 << 9) | (1 << 5) | 1], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, path.length], [2, 0]);
    const local = [little([4, 0x04034b50]), common, path, bytes];
    const mode = text.startsWith("#!") ? 0o100755 : 0o100644;
    directory.push(little([4, 0x02014b50], [2, (3 << 8) | 20]), common, little([2, 0], [2, 0], [2, 0], [4, mode * 65536], [4, at]), path);
    parts.push(...local);
    at += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = little([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** The members of a txtar archive, [{name, text}]. */
function members(archive) {
  const parts = archive.split(/^-- (.+) --\r?\n/m).slice(1);
  return parts.flatMap((name, i) => (i % 2 ? [] : [{ name: name.trim(), text: parts[i + 1] }]));
}

/** Those in a folder, with their names there. */
const within = (files, folder) => files.filter((f) => f.name.startsWith(folder)).map((f) => ({ name: f.name.slice(folder.length), text: f.text }));

/**
 * Everything in a zip to take along. what is "lab": the person's script with what it needs on a real cluster; or
 * "project": what the scenario gives to go on with. from has the scenario's name, its source, the resource as
 * variables of a shell, the name of its script, and the files of the editor.
 */
export function contents(what, { name, source, env, script, files }) {
  const parts = members(source);
  let inside;
  if (what === "project") {
    const more = Object.hasOwn(projects, name) && projects[name];
    inside = [...within(parts, "download/"), ...(more ? within(members(more), "download/") : [])];
  } else {
    const start = parts.find((f) => f.name === "start")?.text ?? "";
    const first = new Set(Array.from(start.matchAll(/^apply (\S+)\s*$/gm), (m) => m[1]));
    const mine = files.find((f) => f.name === script) ?? files.find((f) => f.name.endsWith(".sh"));
    inside = [
      { name: "README.md", text: readme }, { name: "run.sh", text: run }, { name: "bin/cloud", text: cloud },
      { name: "lab.env", text: "# The resource that run.sh watches, and those whose objects bring their owner back into the queue.\n" + env },
      { name: "reconcile/reconcile.sh", text: mine.text },
      ...within(parts, "cluster/").map((f) => ({ name: (f.text.includes("kind: CustomResourceDefinition") ? "crd/" : "resources/") + f.name, text: f.text })),
      ...files.filter((f) => /\.ya?ml$/.test(f.name)).map((f) => ({ name: `${first.has(f.name) ? "resources" : "later"}/${f.name}`, text: f.text })),
    ];
  }
  const folder = safe(`${name}-${what === "lab" ? "bundle" : what}`);
  return { name: `${folder}.zip`, files: inside.map((f) => ({ name: `${folder}/${f.name.split(/[\\/]/).map(safe).join("/")}`, text: f.text })) };
}

/** A name as one part of a path: those of a document or a file are somebody else's, and must not lead out of the folder. */
function safe(name) {
  return name.replace(/[^\p{L}\p{N}_.@+ -]/gu, "-").replace(/^\.+$/, "-") || "-";
}

/** Offers a zip as a file. */
export async function save(what, from) {
  const { name, files } = contents(what, JSON.parse(from));
  const url = URL.createObjectURL(zip(files));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
