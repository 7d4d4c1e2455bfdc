// The service worker: after the first visit the page works without a network, and always as one whole
// version.
//
// The lists of files and their hashes are written at build time. Installing, which begins when the page is there,
// fetches every one that a page waits for and compares it with its hash, so a half-deployed site is never cached: the version that was there stays. A new
// version waits until the page asks for it (the message "activate"). The version before it is kept for
// pages that still run it: every address carries its version, so neither is ever given the other's files.
"use strict";

const version = "__VERSION__";
const files = __FILES__;
// What no page waits for. The scripts among it are small, and fetched last; all else when it is first asked for. It is
// kept from then on.
const later = __LATER__;
const small = later.filter(([name]) => name.endsWith(".js"));
const prefix = "reconcile-" + new URL(self.registration.scope).pathname + "-";
const cacheName = prefix + version;

// The page itself is stored under the scope's own address; all else carries its version.
function address(name) {
  return new URL(name === "index.html" ? "./" : name + "?v=" + version, self.registration.scope).href;
}

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (b) => b.toString(16).padStart(2, "0")).join("");
}

async function fetchExactly(name, hashes) {
  for (const cache of ["default", "reload"]) {
    const response = await fetch(address(name), { cache, credentials: "same-origin" });
    if (!response.ok) continue;
    const bytes = await response.clone().arrayBuffer();
    if (hashes.includes(await digest(bytes))) {
      const headers = new Headers(response.headers);
      headers.delete("content-encoding");
      headers.delete("content-length");
      return new Response(bytes, { headers });
    }
  }
  throw new Error(name + " is not the one of version " + version);
}

async function install() {
  const fetched = await Promise.all(
    files.map(async ([name, ...hashes]) => [name, await fetchExactly(name, hashes)]));
  const cache = await caches.open(cacheName);
  await Promise.all(fetched.map(([name, response]) => cache.put(address(name), response)));
  // What fails here is fetched when it is asked for.
  await Promise.allSettled(small.map(async ([name, ...hashes]) => cache.put(address(name), await fetchExactly(name, hashes))));
}

async function activate() {
  const mine = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(mine.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request) {
  const url = new URL(request.url);
  const root = new URL("./", self.registration.scope);
  const page = url.pathname === root.pathname || url.pathname === root.pathname + "index.html";
  let key = page ? root.href : url.href;
  const asked = later.find(([name]) => url.pathname === root.pathname + name);
  // A link to a document does not say the version: it is this one's.
  if (asked && !url.search) key = address(asked[0]);
  const own = await (await caches.open(cacheName)).match(key);
  if (own) return own;
  if (asked && key === address(asked[0])) {
    const response = await fetchExactly(asked[0], asked.slice(1)).catch(() => null);
    if (response) {
      await (await caches.open(cacheName)).put(key, response.clone());
      return response;
    }
    // What the host has by now is another version's: better none than that one.
    return Response.error();
  }
  if (!page) {
    for (const name of await caches.keys()) {
      if (!name.startsWith(prefix)) continue;
      const kept = await (await caches.open(name)).match(key);
      if (kept) return kept;
    }
  }
  return fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  if (event.data === "activate") self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === self.location.origin) {
    event.respondWith(answer(event.request));
  }
});
