// Makes a module whole again that web/pack.mjs has made thin. web/build.mjs puts this function's text into
// static/boot.js and static/worker.js, and holds what it makes against the module: so it needs nothing from outside.
//
// What comes in goes out as it is where its table is filled: then it was not made thin.

export function whole([place, first, count, at, size, functions]) {
  const number = (n, most = 0x7f) => {
    const out = [];
    for (; n > most; n >>>= 7) out.push((n & 0x7f) | 0x80);
    return [...out, n];
  };
  // The ninth section fills the table, with functions counted upwards.
  const table = () => {
    const body = [1, 0, 0x41, ...number(place, 0x3f), 0x0b, ...number(count)];
    for (let n = first; n < first + count; n++) body.push(...number(n));
    return Uint8Array.from([9, ...number(body.length), ...body]);
  };
  // What Go knows of its functions begins with two numbers for each, the second of which says where there is more:
  // there, too, the first two are counted upwards. They came as differences.
  const restore = (bytes) => {
    const view = new DataView(bytes.buffer);
    const add = (to, from) => view.setUint32(to, view.getUint32(to, true) + view.getUint32(from, true), true);
    for (let i = 8; i < 8 * functions; i += 4) add(i, i - 8);
    for (let i = 12; i < 8 * functions; i += 8) {
      const [from, to] = [view.getUint32(i - 8, true), view.getUint32(i, true)];
      add(to, from);
      add(to + 4, from + 4);
    }
    return bytes;
  };
  // Where the code begins, the tenth section; -1 where the table is filled before; undefined where more has to be read.
  const codeAt = (bytes) => {
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
  };
  const region = new Uint8Array(size);
  let head = new Uint8Array(0);
  let thin = false;
  let done = 0;
  const emit = (to, bytes) => {
    const from = Math.min(Math.max(at - done, 0), bytes.length);
    const end = Math.min(Math.max(at + size - done, 0), bytes.length);
    if (from > 0) to.enqueue(bytes.subarray(0, from));
    if (end > from) region.set(bytes.subarray(from, end), done + from - at);
    if (end > from && done + end === at + size) to.enqueue(restore(region));
    if (end < bytes.length) to.enqueue(bytes.subarray(end));
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
      const code = codeAt(head);
      if (code === undefined) return;
      thin = code > 0;
      if (thin) {
        emit(to, head.subarray(0, code));
        emit(to, table());
        emit(to, head.subarray(code));
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
