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
  let rules = null;
  // The engine that runs scripts is a larger module: engineModule is the one that runs now. While the two change
  // places, what is posted waits in held.
  let scripts = null;
  let engineModule = null;
  let held = null;
  let fetching = false;
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
      const loading = keep(name, script(name)).then(() => globalThis.reconcileLater[name]);
      loading.catch(() => loaded.delete(name));
      loaded.set(name, loading);
    }
    return loaded.get(name);
  }

  async function get(name) {
    const response = await fetch(address(name));
    if (!response.ok) throw new Error(`${name} could not be loaded: ${response.status} ${response.statusText}.`);
    return response;
  }

  // Most hosts send a .wasm.gz as it is, some mark it as content-encoding: gzip and the browser unpacks
  // it. The first bytes tell which.
  async function compile(name, told) {
    const packed = typeof DecompressionStream === "function";
    const response = await get(packed ? name + ".gz" : name);
    const reader = response.body.getReader();
    const first = await reader.read();
    const gzip = first.value?.[0] === 0x1f && first.value?.[1] === 0x8b;
    let done = 0;
    let next = first;
    let stream = new ReadableStream({
      async pull(controller) {
        if (next.done) {
          controller.close();
          return;
        }
        done += next.value.length;
        told(done, gzip);
        controller.enqueue(next.value);
        next = await reader.read();
      },
      cancel: (reason) => reader.cancel(reason),
    });
    if (gzip) stream = stream.pipeThrough(new DecompressionStream("gzip"));
    if (typeof TransformStream === "function") stream = stream.pipeThrough(whole(left[name]));
    const unpacked = new Response(stream, { headers: { "content-type": "application/wasm" } });
    if (typeof WebAssembly.compileStreaming === "function") return WebAssembly.compileStreaming(unpacked);
    return WebAssembly.compile(await unpacked.arrayBuffer());
  }

  // A packed module lacks what can be counted: this puts it in again (web/whole.mjs).
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
      const told = (done, gzip) => progress(done, gzip ? sizes["app.wasm.gz"] : sizes["app.wasm"]);
      const loading = [compile("app.wasm", told), script("wasm_exec.js"), script("editor.js")];
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
      else if (event.data.need === "rules") sendRules(mine);
      else if (event.data.need === "scripts") sendScripts(mine);
      else if (event.data.handover) changeEngine(event.data.handover);
      else if (event.data.crash) engineCrashed(event.data.crash);
    };
    mine.onerror = (event) => {
      event.preventDefault();
      if (mine === worker) engineCrashed({ message: event.message || "worker.js could not be loaded.", stack: "", log: "" });
    };
    mine.postMessage({ module: engineModule, version, handover });
  }

  // The module that also runs scripts, loaded when an engine first needs it.
  async function sendScripts(to) {
    fetching = true;
    clearTimeout(silence);
    const told = (done, gzip) => {
      const total = gzip ? sizes["scripts.wasm.gz"] : sizes["scripts.wasm"];
      boot.onscripts?.(Math.min(done, total - 1), total, "");
    };
    try {
      scripts ??= keep("scripts.wasm.gz", compile("scripts.wasm", told));
      await scripts;
      fetching = false;
      if (to !== worker) return;
      held = [];
      to.postMessage({ scripts: true });
    } catch (err) {
      scripts = null;
      fetching = false;
      const why = String(err && err.message || err);
      boot.onscripts?.(0, 0, why);
      if (to === worker) to.postMessage({ scripts: false, why });
    }
  }

  // The new engine goes on where the one before it stood: nothing happens to the cluster.
  async function changeEngine(handover) {
    const waiting = held ?? [];
    stopEngine();
    engineModule = await scripts;
    startEngine(handover);
    for (const text of waiting) boot.post(text);
    boot.onscripts?.(sizes["scripts.wasm"], sizes["scripts.wasm"], "");
  }

  // The evaluator of rules, a module of its own, loaded when an engine first asks for it.
  async function sendRules(to) {
    // The engine waits for them however long they take: it is not hung.
    fetching = true;
    clearTimeout(silence);
    try {
      rules ??= keep("rules.wasm.gz", compile("rules.wasm", () => {}));
      const loaded = await rules;
      fetching = false;
      if (to !== worker) return;
      to.postMessage({ rules: loaded });
      watch();
    } catch (err) {
      rules = null;
      fetching = false;
      if (to === worker) to.postMessage({ rules: null, why: String(err && err.message || err) });
    }
  }

  // The service worker keeps what it hands on, and on a first visit it may not have been in front of the page yet when
  // the loading began. Then the page asks for the file once more when it is, so that it is kept.
  async function keep(name, loading) {
    const workers = navigator.serviceWorker;
    const unseen = workers && !workers.controller;
    const result = await loading;
    if (unseen) {
      const again = () => get(name).catch(() => {});
      if (workers.controller) again();
      else workers.addEventListener("controllerchange", again, { once: true });
    }
    return result;
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
  }

  function watch() {
    clearTimeout(silence);
    if (fetching) return;
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
    go.env = { GOGC: "50", GOMEMLIMIT: "60MiB" };
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
