// Boot: loads the WebAssembly module once, runs it in the page (globalThis.reconcileRole = "page") and
// in a Web Worker ("engine", see worker.js), and shows what happened when one of them ends.
//
// A classic script, since module scripts do not run from file:// and the page wants to say so there.
//
// What the page's Go code finds in globalThis.reconcileBoot:
//   version          the version of all files of this page
//   receive          to be set: function(text), called with each text from the engine, in order
//   post(text)       sends a text to the engine
//   ready()          to be called after the first paint: the loading screen goes, the app shows
//   onengine         to be set: function("restarting" | "crashed"); with "restarting" a new engine
//                    stands in for the old one: it gets what is posted from now on, and knows only what is stored
//   restartEngine()  ends the worker, whatever it does, and starts it again
//   onscripts        to be set: function(done, total, error), called while scripts.wasm is loaded, in bytes;
//                    done equals total when the engine that runs scripts stands in for the one before it
//   update           null, or the function that activates a version which waits
//   onupdate         to be set: function(), called when update becomes non-null
//   later(name)      loads a bundled file that no first visit needs, once: a Promise of what it offers
//   exportStored()   downloads everything stored, as it is, as one JSON file: a Promise
//   resetStored()    ends the engine, deletes everything stored and reloads the page: a Promise
"use strict";
(() => {
  const version = "__VERSION__";
  const sizes = __SIZES__;
  const left = __LEFT__;
  const database = "reconcile";
  // An engine that has work and says nothing for so long is offered a restart.
  const patience = 10000;

  const $ = (id) => document.getElementById(id);
  let log = "";
  let module = null;
  let worker = null;
  let early = [];
  // The modules that an engine has loaded since: the next one is given them. The engine that runs scripts is a larger
  // module: engineModule is the one that runs now. While the two change places, what is posted waits in held.
  const modules = {};
  let engineModule = null;
  let held = null;
  // The names of the modules that the engine is loading.
  const fetching = new Set();
  let silence = 0;
  let stopped = false;

  const boot = globalThis.reconcileBoot = {
    version,
    receive: null,
    onengine: null,
    update: null,
    onupdate: null,
    onscripts: null,
    post(text) {
      if (held) {
        held.push(text);
        return;
      }
      if (!worker) return;
      worker.postMessage(text);
      watch();
    },
    ready() {
      $("boot").hidden = true;
      document.documentElement.dataset.ready = "";
      // Only now, so that keeping everything for offline use does not slow the first visit down.
      serviceWorker().catch((err) => console.warn("Offline use is not possible:", err));
    },
    restartEngine() {
      if (!module) return;
      stopEngine();
      startEngine();
      boot.onengine?.("restarting");
    },
    later,
    exportStored,
    resetStored,
  };

  // ---- the loading screen -------------------------------------------------------------------------

  function say(text) {
    $("boot-text").textContent = text;
  }

  function stopHere(text) {
    stopped = true;
    $("boot-progress").hidden = true;
    $("boot-text").setAttribute("role", "alert");
    say(text);
  }

  function unsupported() {
    if (location.protocol === "file:") {
      return "This page was opened as a file. A browser does not run WebAssembly from files: serve the folder " +
        "instead, with “make run” in the project, or with any static server (python3 -m http.server), and open its address.";
    }
    if (typeof WebAssembly !== "object" || typeof WebAssembly.instantiate !== "function") {
      return "This browser does not run WebAssembly, or it is switched off. The cluster is a WebAssembly program, " +
        "so nothing works without it. A browser of 2022 or later runs it.";
    }
    if (typeof Worker !== "function") {
      return "This browser has no Web Workers, or they are switched off. The cluster runs in one, so nothing works " +
        "without it. A browser of 2022 or later has them.";
    }
    return "";
  }

  function progress(done, total) {
    if (stopped) return;
    const bar = $("boot-progress");
    const mb = (n) => (n / 1e6).toFixed(1);
    bar.hidden = false;
    bar.max = total;
    bar.value = Math.min(done, total);
    say(done < total ? `Loading the cluster: ${mb(done)} of ${mb(total)} MB` : "Starting the cluster");
  }

  // ---- loading ------------------------------------------------------------------------------------

  function address(name) {
    return `${name}?v=${version}`;
  }

  function script(name) {
    return new Promise((resolve, reject) => {
      const el = document.createElement("script");
      el.src = address(name);
      el.onload = resolve;
      el.onerror = () => reject(new Error(`${name} could not be loaded.`));
      document.head.append(el);
    });
  }

  // A file that is loaded when it is first used. web/build.mjs makes each so that it sets globalThis.reconcileLater.
  const loaded = new Map();
  function later(name) {
    if (!loaded.has(name)) {
      const loading = script(name).then(() => {
        keep(name);
        return globalThis.reconcileLater[name];
      });
      loading.catch(() => loaded.delete(name));
      loaded.set(name, loading);
    }
    return loaded.get(name);
  }

  // A module: see web/load.mjs. It is packed; what it lacks can be counted, and is put in again (web/whole.mjs).
  const loadModule = __LOAD__;
  const whole = __WHOLE__;

  // Files of two versions never run together. An HTTP cache may hold this page's older or newer half for
  // a while: then the page is loaded once more past the cache.
  async function sameVersion() {
    if (document.documentElement.dataset.version === version) return true;
    // A browser that remembers nothing would load it for ever.
    let tried = version;
    try {
      tried = sessionStorage.getItem("reconcile-reloaded");
      sessionStorage.setItem("reconcile-reloaded", version);
    } catch {
      // It is denied.
    }
    if (tried === version) throw new Error("The files of this page are of two versions. Reload it in a minute.");
    await fetch(location.pathname, { cache: "reload" });
    location.reload();
    return false;
  }

  async function load() {
    const why = unsupported();
    if (why) {
      stopHere(why);
      return;
    }
    try {
      if (!(await sameVersion())) return;
      progress(0, sizes["app.wasm.gz"]);
      const told = (done, packed) => progress(done, sizes[packed ? "app.wasm.gz" : "app.wasm"]);
      const loading = [loadModule("app.wasm", version, left, whole, told), script("wasm_exec.js"), script("editor.js")];
      [module] = await Promise.all(loading);
      engineModule = module;
    } catch (err) {
      console.error(err);
      stopHere(`The page could not be loaded. ${err && err.message || err} Check the connection and reload.`);
      return;
    }
    startEngine();
    startPage();
  }

  // ---- the two programs ---------------------------------------------------------------------------

  // handover is what an engine before this one said when it ended for this one's sake.
  function startEngine(handover) {
    const mine = new Worker(address("worker.js"), { name: "engine" });
    worker = mine;
    mine.onmessage = (event) => {
      if (mine !== worker) return;
      clearTimeout(silence);
      if (typeof event.data === "string") received(event.data);
      else if (event.data.loading) engineLoads(event.data);
      else if (event.data.loaded) engineLoaded(event.data);
      else if (event.data.leaves) letLeave();
      else if (event.data.handover) changeEngine(event.data.handover);
      else if (event.data.crash) engineCrashed(event.data.crash);
    };
    mine.onerror = (event) => {
      event.preventDefault();
      if (mine === worker) engineCrashed({ message: event.message || "worker.js could not be loaded.", stack: "", log: "" });
    };
    mine.postMessage({ module: engineModule, version, handover, modules });
  }

  // The engine loads a module that no first visit needs, off this thread. It waits for it however long that takes: it is
  // not hung.
  function engineLoads({ loading, done, packed }) {
    fetching.add(loading);
    if (loading !== "scripts.wasm") return;
    const total = sizes[packed ? "scripts.wasm.gz" : "scripts.wasm"];
    boot.onscripts?.(Math.min(done, total - 1), total, "");
  }

  function engineLoaded({ loaded, module, why }) {
    fetching.delete(loaded);
    if (module) {
      modules[loaded] = module;
      // Only the packed form is ever kept: who cannot unpack it has asked for the other.
      if (typeof DecompressionStream === "function") keep(loaded + ".gz");
    }
    if (loaded !== "scripts.wasm") watch();
    else if (!module) boot.onscripts?.(0, 0, why);
  }

  // What is posted from now on is for the engine after this one.
  function letLeave() {
    held = [];
    worker.postMessage({ handOver: true });
  }

  // The new engine goes on where the one before it stood: nothing happens to the cluster.
  function changeEngine(handover) {
    const waiting = held ?? [];
    stopEngine();
    engineModule = modules["scripts.wasm"];
    startEngine(handover);
    for (const text of waiting) boot.post(text);
    boot.onscripts?.(sizes["scripts.wasm"], sizes["scripts.wasm"], "");
  }

  // The service worker keeps what it hands on, and on a first visit it is not in front of the page yet. Then the page
  // asks for what was loaded once more when it is, so that it is kept.
  const unseen = navigator.serviceWorker && !navigator.serviceWorker.controller;
  function keep(name) {
    if (!unseen) return;
    const again = () => fetch(address(name)).catch(() => {});
    if (navigator.serviceWorker.controller) again();
    else navigator.serviceWorker.addEventListener("controllerchange", again, { once: true });
  }

  function received(text) {
    if (!boot.receive) {
      early.push(text);
      return;
    }
    for (const waiting of early.splice(0)) boot.receive(waiting);
    boot.receive(text);
  }

  function stopEngine() {
    clearTimeout(silence);
    worker?.terminate();
    worker = null;
    early = [];
    held = null;
    fetching.clear();
  }

  function watch() {
    clearTimeout(silence);
    if (fetching.size > 0) return;
    const mine = worker;
    silence = setTimeout(() => {
      if (mine !== worker || document.visibilityState !== "visible") return;
      crashDialog({
        title: "The engine does not answer",
        text: `It has been busy for ${patience / 1000} seconds. Wait, or start it again from what is stored: ` +
          "to the cluster that is a controller's crash and restart.",
        go: "Start the engine again",
        act: boot.restartEngine,
        details: "",
      });
      // It may still answer: then the question goes.
      mine.addEventListener("message", () => $("crash").close(), { once: true });
    }, patience);
  }

  function engineCrashed(crash) {
    stopEngine();
    boot.onengine?.("crashed");
    crashDialog({
      title: "The engine has crashed",
      text: "The cluster is stored as of the last finished step. Starting the engine again reads it from there: " +
        "to the cluster that is a controller's crash and restart.",
      go: "Start the engine again",
      act: boot.restartEngine,
      details: [crash.message, crash.stack, crash.log].filter(Boolean).join("\n\n"),
    });
  }

  async function startPage() {
    keepLog();
    globalThis.reconcileRole = "page";
    globalThis.reconcileVersion = version;
    const go = new Go();
    // As in worker.js.
    go.env = { GOGC: "50", GOMEMLIMIT: "44MiB" };
    let code = 0;
    go.exit = (status) => { code = status; };
    try {
      const instance = await WebAssembly.instantiate(module, go.importObject);
      const running = go.run(instance);
      if (early.length > 0 && boot.receive) received(early.pop());
      await running;
      pageCrashed(`The page's program ended with status ${code}.`, "");
    } catch (err) {
      pageCrashed(String(err && err.message || err), err && err.stack || "");
    }
  }

  function pageCrashed(message, stack) {
    stopEngine();
    $("boot").hidden = true;
    crashDialog({
      title: "The page has crashed",
      text: "The cluster is stored as of the last finished step. Reload the page to go on from there.",
      go: "Reload the page",
      act: () => location.reload(),
      details: [message, stack, log].filter(Boolean).join("\n\n"),
    });
  }

  function keepLog() {
    const write = globalThis.fs.writeSync.bind(globalThis.fs);
    const decoder = new TextDecoder();
    globalThis.fs.writeSync = (fd, bytes) => {
      log = (log + decoder.decode(bytes)).slice(-20000);
      return write(fd, bytes);
    };
  }

  // ---- the crash dialog ---------------------------------------------------------------------------

  function crashDialog({ title, text, go, act, details }) {
    const dialog = $("crash");
    const about = `Reconcile Playground ${version}\n${navigator.userAgent}\n\n${details}`;
    $("crash-title").textContent = title;
    $("crash-text").textContent = text;
    $("crash-note").textContent = "";
    $("crash-details").textContent = about;
    $("crash-go").textContent = go;
    $("crash-reset").textContent = "Delete stored data";
    $("crash-go").onclick = () => {
      dialog.close();
      act();
    };
    $("crash-copy").onclick = () => noted(copy(about), "Copied.");
    $("crash-export").onclick = () => noted(exportStored(), "Exported.");
    $("crash-reset").onclick = askReset;
    $("crash-close").onclick = () => dialog.close();
    if (!dialog.open) dialog.showModal();
    $("crash-go").focus();
  }

  // The first click asks, the second one, on the same button with its new name, acts.
  function askReset() {
    $("crash-note").textContent = "Everything stored here goes: the cluster, the files, the timeline. Export it first if you may want it.";
    $("crash-reset").textContent = "Yes, delete it and reload";
    $("crash-reset").onclick = () => noted(resetStored(), "Deleted.");
  }

  async function noted(promise, done) {
    const note = $("crash-note");
    try {
      await promise;
      note.textContent = done;
    } catch (err) {
      note.textContent = String(err && err.message || err);
    }
  }

  async function copy(text) {
    if (navigator.clipboard?.writeText) {
      await navigator.clipboard.writeText(text);
      return;
    }
    // Pages served over plain http have no clipboard: the details are opened and selected instead.
    const pre = $("crash-details");
    pre.closest("details").open = true;
    getSelection().selectAllChildren(pre);
    throw new Error("This page may not write to the clipboard: the details are selected, copy them from there.");
  }

  // ---- what is stored, without the engine ---------------------------------------------------------

  function asked(request) {
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new Error("Another tab holds the stored data open: close it first."));
    });
  }

  // Where a browser denies its storage, asking for it throws.
  function allowed(name) {
    try {
      return globalThis[name] ?? null;
    } catch {
      return null;
    }
  }

  async function exportStored() {
    const stored = allowed("indexedDB");
    if (!stored) throw new Error("This browser stores nothing here.");
    const opening = stored.open(database);
    // Nothing there yet: looking must not create it.
    opening.onupgradeneeded = () => opening.transaction.abort();
    const db = await asked(opening).catch(() => { throw new Error("Nothing is stored."); });
    const names = Array.from(db.objectStoreNames);
    const stores = {};
    try {
      if (names.length === 0) throw new Error("Nothing is stored.");
      const tx = db.transaction(names, "readonly");
      await Promise.all(names.map(async (name) => {
        const [keys, values] = await Promise.all(
          [asked(tx.objectStore(name).getAllKeys()), asked(tx.objectStore(name).getAll())]);
        stores[name] = keys.map((key, i) => [key, values[i]]);
      }));
    } finally {
      db.close();
    }
    const raw = { format: "reconcile.raw/v1", version, exported: new Date().toISOString(), stores };
    download("reconcile-stored.json", "application/json", JSON.stringify(raw));
  }

  async function resetStored() {
    stopEngine();
    const stored = allowed("indexedDB");
    if (stored) await asked(stored.deleteDatabase(database));
    expectNothing();
    location.reload();
  }

  // The preferences remember that something is stored (app.Prefs.Stored): what a person deletes has not got lost.
  function expectNothing() {
    const kept = allowed("localStorage");
    try {
      const prefs = JSON.parse(kept.getItem("reconcile-preferences"));
      delete prefs.stored;
      kept.setItem("reconcile-preferences", JSON.stringify(prefs));
    } catch {
      // Nothing is kept there.
    }
  }

  function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }

  // ---- offline, and new versions ------------------------------------------------------------------

  async function serviceWorker() {
    if (!navigator.serviceWorker) return;
    let asksForReload = false;
    navigator.serviceWorker.addEventListener("controllerchange", () => {
      if (asksForReload) location.reload();
    });
    const registration = await navigator.serviceWorker.register("sw.js", { updateViaCache: "none" });
    const offer = () => {
      if (!registration.waiting || !navigator.serviceWorker.controller) return;
      boot.update = () => {
        asksForReload = true;
        registration.waiting?.postMessage("activate");
      };
      boot.onupdate?.();
    };
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", offer);
    });
    offer();
  }

  load();
})();
