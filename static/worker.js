// The engine's side of the boot: a Web Worker that runs the same WebAssembly module as the page, with
// globalThis.reconcileRole = "engine".
//
// From the page: first {module, version}, then texts (JSON), handed to globalThis.reconcileReceive once
// the engine has set it, in order. To the page: texts that the engine posts, and {crash} when it ended.
//
// When the engine first needs rules.wasm it calls globalThis.reconcileLoadRules. Then {need: "rules"} goes to
// the page and {rules: module} or {rules: null, why} comes back; the module runs here, beside the engine, and
// sets globalThis.reconcileRules. A prover asks the engine's worker for it in the same way, which lends what it has.
//
// An engine that cannot run scripts and has to calls globalThis.reconcileLoadScripts. Then {need: "scripts"} goes to
// the page and {scripts: true} or {scripts: false, why} comes back; the engine says where it stands with
// {handover: text}, and the page ends this worker and starts another one with the larger module and that text,
// which stands there in globalThis.reconcileHandover.
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

async function start({ module, handover, role = "engine", task }) {
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
  if (role === "engine") go.env = { GOGC: "50", GOMEMLIMIT: "60MiB" };
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

let rules = null;
// The module once the page has sent it, and the provers that wait for it.
let rulesModule = null;
let borrowers = [];

function lendRules(to) {
  if (rulesModule) {
    to.postMessage({ rules: rulesModule });
    return;
  }
  borrowers.push(to);
  postMessage({ need: "rules" });
}

// A promise that is kept when globalThis.reconcileRules answers.
globalThis.reconcileLoadRules = () => new Promise((resolve, reject) => {
  rules = { resolve, reject };
  postMessage({ need: "rules" });
});

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

let scripts = null;

// A promise that is kept when the page has the larger module at hand.
globalThis.reconcileLoadScripts = () => new Promise((resolve, reject) => {
  scripts = { resolve, reject };
  postMessage({ need: "scripts" });
});

// The engine calls this last of all, with what the next one goes on from.
globalThis.reconcileHandOver = (text) => postMessage({ handover: text });

async function startRules({ rules: module, why }) {
  if (!module) throw new Error(why);
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
    rulesModule = data.rules;
    for (const worker of borrowers.splice(0)) worker.postMessage(data);
    const asked = rules;
    rules = null;
    if (asked) startRules(data).then(asked.resolve, (err) => asked.reject(String(err && err.message || err)));
    return;
  }
  if ("scripts" in data) {
    if (data.scripts) scripts.resolve();
    else scripts.reject(String(data.why));
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
