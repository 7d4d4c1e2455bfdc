// Loads a WebAssembly module that lies beside the page. web/build.mjs puts this function's text into static/boot.js and
// static/worker.js, so it needs nothing from outside.
//
// left is what web/pack.mjs left out of the module, whole is web/whole.mjs; told(done, packed) hears of each part that
// came, in bytes of the packed form or of the module itself.

export async function load(name, version, left, whole, told) {
  // Most hosts send a .wasm.gz as it is, some mark it as content-encoding: gzip and the browser unpacks
  // it. The first bytes tell which.
  const file = typeof DecompressionStream === "function" ? name + ".gz" : name;
  const response = await fetch(`${file}?v=${version}`);
  if (!response.ok) throw new Error(`${file} could not be loaded: ${response.status} ${response.statusText}.`);
  const reader = response.body.getReader();
  let next = await reader.read();
  const packed = next.value?.[0] === 0x1f && next.value?.[1] === 0x8b;
  let done = 0;
  let stream = new ReadableStream({
    async pull(controller) {
      if (next.done) {
        controller.close();
        return;
      }
      done += next.value.length;
      told(done, packed);
      controller.enqueue(next.value);
      next = await reader.read();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  if (packed) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  if (typeof TransformStream === "function") stream = stream.pipeThrough(whole(left));
  const unpacked = new Response(stream, { headers: { "content-type": "application/wasm" } });
  if (typeof WebAssembly.compileStreaming === "function") return WebAssembly.compileStreaming(unpacked);
  return WebAssembly.compile(await unpacked.arrayBuffer());
}
