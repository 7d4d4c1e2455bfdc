// A static server as plain as the plainest host: it knows a few content types, compresses nothing, and
// can serve from a folder below its root, as project pages do.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const types = {
  ".css": "text/css", ".gz": "application/gzip", ".html": "text/html", ".js": "text/javascript", ".json": "application/json",
  ".mjs": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
};

/**
 * Serves dir on a free port of 127.0.0.1.
 *
 * prefix is the path it lies under ("/some/folder/"). overlay is a Map of names to texts or bytes that go
 * before the folder's files. encoded marks NAME.gz as content-encoding: gzip, as some hosts do.
 *
 * The result: {url, origin, dir, overlay, requests, down, close}. In overlay null hides a file, and a
 * function gets node's response to answer itself. dir and overlay may be changed while it
 * runs; requests lists the paths asked for; while down is true every connection is cut.
 */
export async function serve(dir, { prefix = "/", overlay = new Map(), encoded = false } = {}) {
  const site = { dir, overlay, requests: [], down: false };
  const server = createServer(async (request, response) => {
    if (site.down) {
      request.socket.destroy();
      return;
    }
    const { pathname } = new URL(request.url, "http://localhost");
    site.requests.push(pathname);
    const found = pathname.startsWith(prefix) ? await find(site, decodeURIComponent(pathname.slice(prefix.length))) : null;
    if (typeof found?.bytes === "function") {
      found.bytes(response);
      return;
    }
    if (!found?.bytes) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    const headers = { "content-type": types[extname(found.name)] ?? "application/octet-stream" };
    if (encoded && found.name.endsWith(".gz")) headers["content-encoding"] = "gzip";
    response.writeHead(200, headers).end(found.bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return Object.assign(site, {
    origin,
    url: origin + prefix,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
}

async function find(site, path) {
  const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  if (normalize(name).startsWith("..")) return null;
  if (site.overlay.has(name)) return { name, bytes: site.overlay.get(name) };
  try {
    return { name, bytes: await readFile(join(site.dir, name)) };
  } catch {
    return null;
  }
}
