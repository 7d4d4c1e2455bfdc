// Makes a Go WebAssembly module smaller to load: joins its data segments, and leaves out what can be made anew.
//
// Go's linker leaves out every run of more than a few zeros and so cuts the data into 100,000 segments. Each
// carries an address and a length, numbers that gzip cannot foresee, where a run of zeros costs it next to
// nothing: unpacked, the module grows by a tenth; to load, it shrinks by 7 %.

import { lastNumbers, numbers, records } from "./whole.mjs";

// A run of zeros that is left out all the same: memory is zero already.
const GAP = 4096;

const ELEMENTS = 9;
const CODE = 10;
const DATA = 11;
const DATA_COUNT = 12;

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  // An LEB128 number of up to 32 bits. Addresses are written as signed ones; none reaches 2 GB.
  number(signed = false) {
    let value = 0;
    let shift = 0;
    let byte;
    do {
      byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte & 0x80);
    return signed && byte & 0x40 ? value - 2 ** shift : value;
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

// An LEB128 number; a signed one needs its sixth bit clear.
function number(value, signed = false) {
  const out = [];
  while (value > (signed ? 0x3f : 0x7f)) {
    out.push((value & 0x7f) | 0x80);
    value = Math.floor(value / 128);
  }
  out.push(value);
  return Buffer.from(out);
}

function sections(wasm) {
  const out = [];
  for (const r = new Reader(wasm, 8); r.at < wasm.length; ) {
    const id = r.byte();
    out.push({ id, body: r.take(r.number()) });
  }
  return out;
}

// segments reads a data section into [address, bytes], by address. The linker writes them all for memory 0 and
// at constant addresses, and none over another.
function segments(body) {
  const r = new Reader(body);
  const list = Array.from({ length: r.number() }, () => {
    const head = [r.byte(), r.byte()];
    const address = r.number(true);
    if (head[0] !== 0 || head[1] !== 0x41 || r.byte() !== 0x0b) {
      throw new Error("a data segment is not as Go's linker writes it: see web/pack.mjs");
    }
    return [address, r.take(r.number())];
  });
  return list.sort(([a], [b]) => a - b);
}

function join(list) {
  const joined = [];
  for (const [address, bytes] of list) {
    const last = joined.at(-1);
    if (last && address < last.end) throw new Error("two data segments overlap: see web/pack.mjs");
    if (last && address - last.end < GAP) {
      last.parts.push(Buffer.alloc(address - last.end), bytes);
      last.end = address + bytes.length;
    } else {
      joined.push({ address, end: address + bytes.length, parts: [bytes] });
    }
  }
  return joined.map(({ address, parts }) => [address, Buffer.concat(parts)]);
}

function image(list) {
  const [address, bytes] = list.at(-1);
  const memory = Buffer.alloc(address + bytes.length);
  for (const [at, part] of list) memory.set(part, at);
  return memory;
}

// pack returns the module with its data in as few segments as pay. It fills memory with the same bytes.
export function pack(wasm) {
  const all = sections(wasm);
  if (all.some(({ id }) => id === DATA_COUNT)) throw new Error("the module counts its data segments: see web/pack.mjs");
  const packed = all.map(({ id, body }) => {
    if (id !== DATA) return { id, body };
    const old = segments(body);
    const list = join(old);
    if (!image(list).equals(image(old))) throw new Error("packing changed the data");
    const entries = list.flatMap(([at, bytes]) => [
      Buffer.from([0, 0x41]), number(at, true), Buffer.from([0x0b]), number(bytes.length), bytes,
    ]);
    return { id, body: Buffer.concat([number(list.length), ...entries]) };
  });
  return Buffer.concat([
    wasm.subarray(0, 8),
    ...packed.flatMap(({ id, body }) => [Buffer.from([id]), number(body.length), body]),
  ]);
}

// thin leaves out what gzip can't foresee and what can be told all the same: the list of what stands in the module's
// table, all functions of its own in their order, and the numbers that web/whole.mjs counts. It returns what is left,
// and what web/whole.mjs makes the module from.
export function thin(wasm) {
  const elements = sections(wasm).find(({ id }) => id === ELEMENTS);
  const r = new Reader(elements.body);
  const head = [r.byte(), r.byte(), r.byte()];
  const place = r.number(true);
  const end = r.byte();
  const count = r.number();
  const first = r.number();
  if (head.join() !== "1,0,65" || end !== 0x0b) throw new Error("the module's table is not as Go's linker fills it: see web/pack.mjs");
  const bytes = Buffer.concat([
    wasm.subarray(0, 8),
    ...sections(wasm).filter(({ id }) => id !== ELEMENTS).flatMap(({ id, body }) => [Buffer.from([id]), number(body.length), body]),
  ]);
  const body = sections(bytes).find(({ id }) => id === CODE).body;
  const code = { at: body.byteOffset - bytes.byteOffset, end: body.byteOffset - bytes.byteOffset + body.length };
  const { region, layout } = functionTable(bytes);
  numbers(bytes, code.at, code.end, lastNumbers(), false);
  const known = new Uint8Array(bytes.subarray(region.at, region.end));
  records(known, layout, false);
  bytes.set(known, region.at);
  return { bytes, left: { table: [place, first, count], code, region, layout } };
}

// functionTable finds runtime.pcHeader and what it leads to: from the names of functions to the last function's record.
function functionTable(wasm) {
  const header = wasm.indexOf(Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]));
  if (header < 0) throw new Error("the module's functions are not told as Go's linker tells them: see web/pack.mjs");
  const word = (i) => Number(wasm.readBigUInt64LE(header + 8 * i));
  const [count, names, tables, list] = [1, 4, 7, 8].map(word);
  const last = list + wasm.readUInt32LE(header + list + 8 * count - 4);
  return { region: { at: header + names, end: header + last }, layout: { tables: tables - names, list: list - names, count } };
}
