// Makes a module whole again that web/pack.mjs has made thin. web/build.mjs puts this file into static/boot.js and
// static/worker.js, and holds what it makes against the module.
//
// What Go's compiler and linker number as they go is loaded as differences, which gzip can foresee. numbers and records
// go both ways: by the same functions web/pack.mjs makes a module thin. back tells which way it is.

/**
 * The numbers in the code that differ little from the last of their kind: where a call returns to, how far a branch
 * goes, and the block that it goes to. The bytes before a number tell of which kind it is, so on the way back, too, it
 * is known when it comes. Gives a function that changes the next part of the code, in place.
 */
export function numbers(back) {
  const [none, returns, branches, blocks] = [-1, 0, 8, 16];
  // From returns, branches and blocks on: the last number of the kind, seven bits in each byte, as the code has them.
  const last = new Uint8Array(24);
  let kind = none;
  let place = 0;
  let carry = 0;
  let before = 0;
  return (bytes) => {
    for (let i = 0; i < bytes.length; i++) {
      let byte = bytes[i];
      if (kind !== none) {
        const old = last[kind + place];
        const sum = (byte & 0x7f) + (back ? old : -old) + carry;
        carry = sum >> 7;
        bytes[i] = (byte & 0x80) | (sum & 0x7f);
        if (back) byte = bytes[i];
        last[kind + place] = byte & 0x7f;
        place = (place + 1) & 7;
        if (byte < 0x80) {
          last.fill(0, kind + (place || 8), kind + 8);
          kind = none;
          place = carry = 0;
        }
      } else if (byte === 0x42) {
        // global.set 0, local.get n, i64.const
        if (before >>> 8 === 0x240020) kind = returns;
      } else if (byte === 0x0c || byte === 0x0d) {
        // local.set n, br or br_if
        if ((before & 0xff00) === 0x2100) kind = branches;
      } else if (byte === 0x41) {
        // if, i32.const
        if ((before & 0xffff) === 0x0440) kind = blocks;
      }
      before = (before << 8) | byte;
    }
  };
}

/**
 * What Go knows of its functions, in place: names, first; from tables on tables of how something changes along a
 * function; from list on two numbers for each of count functions, the second of which says where its record is, and
 * the records, the last of which stays as it is. What can be told from what comes before becomes 0, and NEXT where a
 * record tells of the first table that none before it told of. Of the records come all first words, then all second
 * ones, and so on.
 */
export function records(bytes, layout, back) {
  const steps = [countRecords, columns, countList];
  for (const step of back ? steps.reverse() : steps) step(bytes, layout, back);
}

const NEXT = 0xffffffff;

// 32-bit words. less takes a value off one, or adds it again, and gives the word as Go has it.
function words(bytes, back) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const get = (at) => view.getUint32(at, true);
  const set = (at, value) => view.setUint32(at, value, true);
  const less = (at, by) => {
    const given = get(at);
    set(at, back ? given + by : given - by);
    return back ? get(at) : given;
  };
  return { get, set, less };
}

function countList(bytes, { list, count }, back) {
  const { less } = words(bytes, back);
  let [entry, record] = [0, 0];
  for (let at = list; at < list + 8 * count; at += 8) {
    entry = less(at, entry);
    record = less(at + 4, record);
  }
}

function columns(bytes, { list, count }, back) {
  const { get, set } = words(bytes);
  const from = words(new Uint8Array(bytes));
  const starts = Array.from({ length: count }, (_, i) => list + get(list + 8 * i + 4));
  const end = starts.pop();
  for (let at = starts[0], word = 0; at < end; word += 4) {
    starts.forEach((start, i) => {
      if (start + word >= (starts[i + 1] ?? end)) return;
      if (back) set(start + word, from.get(at));
      else set(at, from.get(start + word));
      at += 4;
    });
  }
}

// See _func in Go's runtime/runtime2.go.
function countRecords(bytes, { tables, list, count }, back) {
  const { get, set, less } = words(bytes, back);
  const number = (at) => {
    while (bytes[at] & 0x80) at++;
    return at + 1;
  };
  // A table is pairs of numbers, and ends where the first of a further pair is 0.
  const tableEnd = (at) => {
    at += tables;
    do at = number(number(at)); while (bytes[at]);
    return at + 1 - tables;
  };
  let [name, unit, next] = [0, 0, 1];
  const table = (at) => {
    const given = get(at);
    const known = back && given === NEXT ? next : given;
    set(at, back ? known : given === next ? NEXT : given);
    if (known >= next) next = tableEnd(known);
  };
  for (let i = 0; i + 1 < count; i++) {
    const at = list + get(list + 8 * i + 4);
    less(at, get(list + 8 * i));
    name = bytes.indexOf(0, less(at + 4, name)) + 1;
    unit = less(at + 32, unit);
    for (const place of [16, 20, 24]) table(at + place);
    for (let k = 0; k < get(at + 28); k++) table(at + 44 + 4 * k);
  }
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

/**
 * A stream that makes a module whole. left is what web/pack.mjs tells of it beside what is loaded. What comes in goes
 * out as it is where its table is filled: then it was not made thin.
 */
export function whole({ table, code, region, layout }) {
  const known = new Uint8Array(region.end - region.at);
  const count = numbers(true);
  let head = new Uint8Array(0);
  let thin = false;
  let done = 0;
  const emit = (to, bytes) => {
    const part = (from, end) => bytes.subarray(Math.max(from - done, 0), Math.max(end - done, 0));
    const pass = (some) => some.length > 0 && to.enqueue(some);
    const held = part(region.at, region.end);
    count(part(code.at, code.end));
    pass(part(0, region.at));
    if (held.length > 0) {
      known.set(held, Math.max(done - region.at, 0));
      if (done + bytes.length >= region.end) {
        records(known, layout, true);
        to.enqueue(known);
      }
    }
    pass(part(region.end, Infinity));
    done += bytes.length;
  };
  return new TransformStream({
    transform(chunk, to) {
      if (!head) {
        if (thin) emit(to, chunk);
        else to.enqueue(chunk);
        return;
      }
      const longer = new Uint8Array(head.length + chunk.length);
      longer.set(head);
      longer.set(chunk, head.length);
      head = longer;
      const start = codeAt(head);
      if (start === undefined) return;
      thin = start > 0;
      if (thin) {
        emit(to, head.subarray(0, start));
        to.enqueue(tableSection(table));
        emit(to, head.subarray(start));
      } else {
        to.enqueue(head);
      }
      head = null;
    },
    flush(to) {
      if (head) to.enqueue(head);
    },
  });
}
