// The engine's side of the boot: a Web Worker that runs the same WebAssembly module as the page, with
// globalThis.reconcileRole = "engine".
//
// From the page: first {module, version, modules}, then texts (JSON), handed to globalThis.reconcileReceive once
// the engine has set it, in order. To the page: texts that the engine posts, and {crash} when it ended.
//
// Modules that no first visit needs are loaded here, off the page's thread: {loading: name, done, packed} goes to the page
// as they come, then {loaded: name, module} or {loaded: name, why}. The page gives them to the engines after this one, in
// modules.
//
// When the engine first needs rules.wasm it calls globalThis.reconcileLoadRules; the module runs here, beside the engine,
// and sets globalThis.reconcileRules. A prover asks the engine's worker for it with {need: "rules"}, and gets {rules:
// module} or {rules: null, why}.
//
// An engine that cannot run scripts and has to calls globalThis.reconcileLoadScripts. Then {leaves: true} goes to the page,
// which sends {handOver: true} and no more texts; the engine says where it stands with {handover: text}, and the page ends
// this worker and starts another one with the larger module and that text, which stands there in
// globalThis.reconcileHandover.
//
// An engine that explores has workers of its own for it, with the same module and globalThis.reconcileRole = "prover":
// globalThis.reconcileStartWorkers(JSON of tasks) starts them and returns how many, each finds its task in
// globalThis.reconcileTask, what one says is handed to globalThis.reconcileSaid, and globalThis.reconcileStopWorkers()
// ends them. A worker that cannot go on says {crash}, which is the engine's as well.
"use strict";

const version = "__VERSION__";
const waiting = [];
let log = "";
let ended = false;

function crash(message, stack) {
  if (ended) return;
  ended = true;
  postMessage({ crash: { message, stack: stack || "", log: log } });
}

function keepLog() {
  const write = globalThis.fs.writeSync.bind(globalThis.fs);
  const decoder = new TextDecoder();
  globalThis.fs.writeSync = (fd, bytes) => {
    log = (log + decoder.decode(bytes)).slice(-20000);
    return write(fd, bytes);
  };
}

async function start({ module, handover, modules = {}, role = "engine", task }) {
  for (const [name, module] of Object.entries(modules)) loaded.set(name, Promise.resolve(module));
  importScripts("wasm_exec.js?v=" + version);
  keepLog();
  globalThis.reconcileRole = role;
  globalThis.reconcileTask = task;
  globalThis.reconcileVersion = version;
  globalThis.reconcileHandover = handover;
  globalThis.reconcileStartWorkers = (tasks) => startWorkers(module, JSON.parse(tasks));
  const go = new Go();
  // WebAssembly's memory never shrinks, and of two halves of it one would be garbage: it is collected more often. What
  // proves holds little, and is in a hurry.
  if (role === "engine") go.env = { GOGC: "50", GOMEMLIMIT: "50MiB" };
  let code = 0;
  go.exit = (status) => { code = status; };
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const running = go.run(instance);
  deliver();
  await running;
  crash(`The ${role} ended with status ${code}.`);
}

function deliver() {
  while (waiting.length > 0 && typeof globalThis.reconcileReceive === "function") {
    globalThis.reconcileReceive(waiting.shift());
  }
}

const load = __LOAD__;
const whole = __WHOLE__;
const left = __LEFT__;

// A promise of each module that was asked for.
const loaded = new Map();

function later(name) {
  if (!loaded.has(name)) {
    const told = (done, packed) => postMessage({ loading: name, done, packed });
    told(0, true);
    const loading = load(name, version, left[name], whole, told);
    loading.then((module) => postMessage({ loaded: name, module }), (err) => {
      loaded.delete(name);
      postMessage({ loaded: name, why: reason(err) });
    });
    loaded.set(name, loading);
  }
  return loaded.get(name);
}

const reason = (err) => String(err && err.message || err);

// In a prover: who waits for the engine's worker to lend rules.wasm.
let borrower = null;

function borrowRules() {
  return new Promise((resolve, reject) => {
    borrower = { resolve, reject };
    postMessage({ need: "rules" });
  });
}

function lendRules(to) {
  later("rules.wasm").then((module) => to.postMessage({ rules: module }), (err) => to.postMessage({ rules: null, why: reason(err) }));
}

// A promise that is kept when globalThis.reconcileRules answers; it is broken with a text.
globalThis.reconcileLoadRules = async () => {
  try {
    await startRules(await (globalThis.reconcileRole === "prover" ? borrowRules() : later("rules.wasm")));
  } catch (err) {
    throw reason(err);
  }
};

let workers = [];

function startWorkers(module, tasks) {
  // A browser without workers in workers explores with one.
  if (typeof Worker !== "function") return 0;
  for (const task of tasks) {
    const worker = new Worker(self.location.href, { name: "prover" });
    worker.onmessage = (event) => {
      if (!workers.includes(worker)) return;
      if (typeof event.data === "string") globalThis.reconcileSaid(event.data);
      else if (event.data.need === "rules") lendRules(worker);
      else if (event.data.crash) crash(event.data.crash.message, event.data.crash.stack);
    };
    worker.onerror = (event) => crash(event.message || "A worker could not be started.");
    worker.postMessage({ module, version, role: "prover", task });
    workers.push(worker);
  }
  return tasks.length;
}

globalThis.reconcileStopWorkers = () => {
  for (const worker of workers.splice(0)) worker.terminate();
};

let leave = null;

// A promise that is kept when the page waits for the handover; it is broken with a text.
globalThis.reconcileLoadScripts = async () => {
  await later("scripts.wasm").catch((err) => { throw reason(err); });
  postMessage({ leaves: true });
  await new Promise((resolve) => { leave = resolve; });
};

// The engine calls this last of all, with what the next one goes on from.
globalThis.reconcileHandOver = (text) => postMessage({ handover: text });

async function startRules(module) {
  const go = new Go();
  let code = 0;
  go.exit = (status) => { code = status; };
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance).then(() => crash("The evaluator of rules ended with status " + code + "."));
  if (typeof globalThis.reconcileRules !== "function") throw new Error("rules.wasm does not answer.");
}

// The engine calls this when it has set reconcileReceive.
globalThis.reconcileListening = deliver;

self.onmessage = (event) => {
  const data = event.data;
  if (typeof data === "string") {
    waiting.push(data);
    deliver();
    return;
  }
  if ("rules" in data) {
    if (data.rules) borrower.resolve(data.rules);
    else borrower.reject(data.why);
    return;
  }
  if (data.handOver) {
    leave();
    return;
  }
  if (data.version !== version) {
    crash("The engine is version " + version + ", the page is version " + data.version + ".");
    return;
  }
  start(data).catch((err) => crash(String(err && err.message || err), err && err.stack));
};

self.addEventListener("error", (event) => crash(event.message, event.error && event.error.stack));
self.addEventListener("unhandledrejection", (event) => {
  crash(String(event.reason && event.reason.message || event.reason), event.reason && event.reason.stack);
});
