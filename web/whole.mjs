// Makes a module whole again that web/pack.mjs has made thin. web/build.mjs puts this file into static/boot.js and
// static/worker.js, and holds what it makes against the module.
//
// What Go's compiler and linker number as they go is loaded as differences, which gzip can foresee. numbers and records
// go both ways: by the same functions web/pack.mjs makes a module thin. back tells which way it is. A page waits for
// them, and they run once: so they are plain loops.

const [RETURNS, BRANCHES, BLOCKS, NONE] = [0, 8, 16, 24];

/** What numbers remembers: of each kind the last number, seven bits in each byte, as WebAssembly writes it. */
export const lastNumbers = () => new Uint8Array(24);

/** So many bytes after a place tell all of the number that numbers finds there. */
export const AHEAD = 16;

/**
 * The numbers in the code, in place, that differ little from the last of their kind: where a call returns to, how far a
 * branch goes, and the block that it goes to. The bytes before a number tell of which kind it is, and none of those is
 * changed. Begins with the numbers whose bytes before begin at from, ends before those at end or a little after, and
 * returns where to go on.
 */
export function numbers(bytes, from, end, last, back) {
  const kinds = new Uint8Array(256).fill(NONE);
  kinds[0x24] = RETURNS;
  kinds[0x21] = BRANCHES;
  kinds[0x04] = BLOCKS;
  let i = from;
  for (;;) {
    while (i < end && kinds[bytes[i]] === NONE) i++;
    if (i >= end) return i;
    let k = kinds[bytes[i]];
    let before = 0;
    if (k === RETURNS) {
      // global.set 0, local.get n, i64.const
      if (bytes[i + 1] === 0 && bytes[i + 2] === 0x20 && bytes[i + 4] === 0x42) before = 5;
    } else if (k === BRANCHES) {
      // local.set n, br or br_if
      if ((bytes[i + 2] & 0xfe) === 0x0c) before = 3;
    } else if (bytes[i + 1] === 0x40 && bytes[i + 2] === 0x41) {
      // if, i32.const
      before = 3;
    }
    i += before || 1;
    if (before === 0) continue;
    const stop = k + 8;
    for (let carry = 0, more = true; more && k < stop; k++, i++) {
      const given = bytes[i];
      const sum = (given & 0x7f) + (back ? last[k] : -last[k]) + carry;
      carry = sum >> 7;
      bytes[i] = (given & 0x80) | (sum & 0x7f);
      last[k] = (back ? sum : given) & 0x7f;
      more = given > 0x7f;
    }
    for (; k < stop; k++) last[k] = 0;
  }
}

// What stands where a record tells of the first table that none before it told of.
const NEXT = 0xffffffff;

/**
 * What Go knows of its functions, in place, in a buffer of its own: names, first; from tables on tables of how something
 * changes along a function; from list on two words for each of count functions, the second of which says where its
 * record is, and the records, the last of which stays as it is. What can be told from what comes before becomes 0, or
 * NEXT. Of the records come all first words, then all second ones, and so on.
 */
export function records(bytes, layout, back) {
  const words = new Uint32Array(bytes.buffer, layout.list, (bytes.length - layout.list) >> 2);
  const steps = [countRecords, columns, countList];
  for (const step of back ? steps.reverse() : steps) step(words, layout.count, back, bytes, layout.tables);
}

function countList(words, count, back) {
  for (let at = 0, entry = 0, record = 0; at < 2 * count; at += 2) {
    const given = [words[at], words[at + 1]];
    words[at] += back ? entry : -entry;
    words[at + 1] += back ? record : -record;
    [entry, record] = back ? [words[at], words[at + 1]] : given;
  }
}

function columns(words, count, back) {
  const starts = new Uint32Array(count);
  for (let i = 0; i < count; i++) starts[i] = words[2 * i + 1] >> 2;
  const from = words.slice();
  for (let at = starts[0], column = 0; at < starts[count - 1]; column++) {
    for (let i = 0; i + 1 < count; i++) {
      const place = starts[i] + column;
      if (place >= starts[i + 1]) continue;
      if (back) words[place] = from[at++];
      else words[at++] = from[place];
    }
  }
}

// See _func in Go's runtime/runtime2.go.
function countRecords(words, count, back, bytes, tables) {
  let [name, unit, next] = [0, 0, 1];
  for (let i = 0; i + 1 < count; i++) {
    const at = words[2 * i + 1] >> 2;
    const given = [words[at + 1], words[at + 8]];
    words[at] += back ? words[2 * i] : -words[2 * i];
    words[at + 1] += back ? name : -name;
    words[at + 8] += back ? unit : -unit;
    const known = back ? [words[at + 1], words[at + 8]] : given;
    name = bytes.indexOf(0, known[0]) + 1;
    unit = known[1];
    const end = at + 11 + words[at + 7];
    for (let k = at + 4; k < end; k = k === at + 6 ? at + 11 : k + 1) {
      const table = back && words[k] === NEXT ? next : words[k];
      words[k] = back ? table : table === next ? NEXT : table;
      if (table >= next) next = tableEnd(bytes, tables + table) - tables;
    }
  }
}

// A table is pairs of numbers, and ends where the first of a further pair is 0.
function tableEnd(bytes, at) {
  do {
    while (bytes[at] > 0x7f) at++;
    at++;
    while (bytes[at] > 0x7f) at++;
    at++;
  } while (bytes[at] > 0);
  return at + 1;
}

// The ninth section: it fills the module's table with all functions of its own, in their order.
function tableSection([place, first, count]) {
  const number = (n, most = 0x7f) => {
    const out = [];
    for (; n > most; n >>>= 7) out.push((n & 0x7f) | 0x80);
    return [...out, n];
  };
  const body = [1, 0, 0x41, ...number(place, 0x3f), 0x0b, ...number(count)];
  for (let n = first; n < first + count; n++) body.push(...number(n));
  return Uint8Array.from([9, ...number(body.length), ...body]);
}

// Where the code begins, the tenth section; -1 where the table is filled before; undefined where more has to be read.
function codeAt(bytes) {
  for (let i = 8; i < bytes.length;) {
    const id = bytes[i++];
    if (id === 9) return -1;
    if (id === 10) return i - 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      if (i === bytes.length) return undefined;
      length += (bytes[i] & 0x7f) << shift;
      if (bytes[i++] < 0x80) break;
    }
    i += length;
  }
  return undefined;
}

function joined(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * A stream that makes a module whole. left is what web/pack.mjs tells of it beside what is loaded. What comes in goes
 * out as it is where its table is filled: then it was not made thin.
 */
export function whole({ table, code, region, layout }) {
  const last = lastNumbers();
  const known = new Uint8Array(region.end - region.at);
  let held = new Uint8Array(0);
  let thin;
  let done = 0;
  const pass = (to, end) => {
    if (end > 0) to.enqueue(held.subarray(0, end));
    held = held.subarray(end);
    done += end;
  };
  // What of held is before a place in the module.
  const before = (place) => Math.min(Math.max(place - done, 0), held.length);
  const emit = (to) => {
    pass(to, before(code.at));
    if (done < code.end) {
      const end = before(code.end);
      const ready = done + end < code.end ? end - AHEAD : end;
      if (ready > 0) pass(to, numbers(held, 0, ready, last, true));
      if (done < code.end) return;
    }
    pass(to, before(region.at));
    if (done < region.end && held.length > 0) {
      const end = before(region.end);
      known.set(held.subarray(0, end), done - region.at);
      held = held.subarray(end);
      done += end;
      if (done < region.end) return;
      records(known, layout, true);
      to.enqueue(known);
    }
    pass(to, held.length);
  };
  return new TransformStream({
    transform(chunk, to) {
      held = held.length === 0 ? chunk : joined(held, chunk);
      if (thin === undefined) {
        const start = codeAt(held);
        if (start === undefined) return;
        thin = start > 0;
        if (thin) {
          pass(to, start);
          to.enqueue(tableSection(table));
        }
      }
      if (thin) emit(to);
      else pass(to, held.length);
    },
    flush(to) {
      pass(to, held.length);
    },
  });
}
