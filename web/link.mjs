// Packs a text into what a link holds behind its # and back: deflated, in the letters of base64url. It is bundled
// as link.js and loaded when a link is first made or opened.

const alphabet = { "+": "-", "/": "_", "=": "" };

async function through(stream, bytes, limit) {
  const out = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Error(`it unpacks to more than ${Math.round(limit / 1e6)} MB`);
    }
    out.push(value);
  }
  return new Blob(out);
}

function need(name) {
  if (typeof globalThis[name] !== "function") throw new Error("this browser cannot pack links: one of 2023 or later can");
}

/** The letters of a text. */
export async function pack(text) {
  need("CompressionStream");
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text), Infinity);
  const bytes = new Uint8Array(await packed.arrayBuffer());
  let letters = "";
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters).replace(/[+/=]/g, (c) => alphabet[c]);
}

/** The text that pack made the letters of. What is longer than a limit, packed or unpacked, is refused. */
export async function unpack(letters, packedLimit, limit) {
  need("DecompressionStream");
  if (letters.length > packedLimit) throw new Error(`it has ${letters.length} letters; ${packedLimit} are read at most`);
  let bytes;
  try {
    bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    throw new Error("it holds letters that no link has");
  }
  let unpacked;
  try {
    unpacked = await through(new DecompressionStream("deflate-raw"), bytes, limit);
  } catch (err) {
    throw err instanceof TypeError ? new Error("it is damaged or was cut short") : err;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await unpacked.arrayBuffer());
  } catch {
    throw new Error("it is damaged");
  }
}
