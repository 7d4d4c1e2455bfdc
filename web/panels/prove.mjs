// The fault matrix: a row for each call of the script, a column for each fault, and what came of it in sign and word.

import { button, h, say, send } from "./panels.mjs";

export function prove(data) {
  const { prove: view, scenario, error, away, plays } = data;
  const busy = view && (view.state === "running" || view.state === "paused");
  return [
    h("div.row", null,
      button("prove", say("prove"), ["prove"], { main: !busy, "aria-disabled": busy && "true" }),
      busy && (view.state === "paused" ? button("resume", say("resume"), send({ method: "proving", name: "resume" })) : button("pause", say("pause"), send({ method: "proving", name: "pause" }))),
      busy && button("cancel", say("cancel"), send({ method: "proving", name: "cancel" })),
      away && button("mine", say("back"), ["mine"]),
      h("span.muted", { "data-testid": "plays" }, [plays ? say("playsScript", plays) : say("playsReference"), scenario.title].join(" · "))),
    error && h("p.fault-text", { role: "alert" }, error),
    view ? verdict(view) : h("p.muted", null, say("proveNote")),
    view && h("ul.checks", null, (view.findings ?? []).map((f, i) => finding(f, "fault", i)), (view.stopped ?? []).map((f, i) => finding(f, "wait", i))),
    (view?.rows?.length > 0 || view?.bounds) && matrix(view, data.whys ?? []),
  ].filter(Boolean);
}

function seconds(ms) {
  const s = Math.max(1, Math.round(ms / 1000));
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
}

// The findings that show without any fault.
const own = (view) => (view.findings ?? []).filter((f) => !f.fault);

function faultless(wrong, without) {
  if (without === 0) return "";
  if (without < wrong) return without === 1 ? say("oneWithout") : say("someWithout", without);
  return wrong === 1 ? say("itWithout") : say("allWithout");
}

function verdict(view) {
  const attributes = { "data-testid": "verdict", "data-state": view.state };
  const b = view.bounds;
  if (b) {
    const wrong = view.findings?.length ?? 0;
    const text = wrong > 1 ? say("manyWrong", wrong) : wrong === 1 ? say("oneWrong") : view.stopped?.length ? say("stops") : say("clean");
    const without = faultless(wrong, own(view).length);
    return h("p", { ...attributes, role: "status" }, h("strong", null, text), without && " " + without, " ",
      b.restless ? say("restless", b.passes, b.seed, b.states) : say("bounds", b.runs, b.faults.length, b.places, b.depth, b.orders, b.passes, b.seed, b.states));
  }
  if (view.state === "cancelled") return h("p", { ...attributes, role: "status" }, say("cancelled", view.done, view.total));
  const says = [view.total === 0 ? say("baseline") : say("runs", view.done, view.total)];
  if (view.state === "paused") says.push(say("paused"));
  else if (view.left > 0) says.push(say("left", seconds(view.left)));
  return h("p", attributes, h("progress", { max: Math.max(1, view.total), value: view.done, "aria-label": say("prove") }), " " + says.join(", "));
}

function matrix(view, whys) {
  // What can happen nowhere has no column in the end.
  const rows = view.rows ?? [];
  const shown = [...(view.faults ?? []).keys()].filter((i) => view.state !== "done" || rows.some((row) => row.cells[i][0] > 0));
  return h("div", null,
    h("p.matrix-legend.muted", null, [own(view).length > 0 ? "legendSame" : "legendGood", "legendBad", "legendStopped", "legendNone"].map((key) => h("span", null, say(key)))),
    h("div.matrix-wrap", { tabindex: "0", role: "region", "aria-label": say("prove"), "data-scroll": "matrix" },
      h("table.matrix", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, say("call")), shown.map((i) => h("th", { scope: "col", title: whys[i] }, view.faults[i])))),
        h("tbody", null, view.bounds && unharmed(view, Math.max(1, shown.length)), rows.map((row, r) => h("tr", null, site(row), shown.map((i) => cell(view, `${row.site}, ${view.faults[i]}`, row.cells[i], `cell-${r}-${i}`))))))));
}

// The row of the run without a fault: each finding that it shows opens it.
function unharmed(view, columns) {
  const wrong = own(view);
  const runs = wrong.map((f, i) => h("button", { type: "button", id: `panel-own-${i}`, title: f.sentence, "aria-label": `${say("without")}: ${f.finding} ${f.object}. ${say("openRun")}`,
    onclick: send({ method: "openRun", text: JSON.stringify(f.choices) }) }, h("span", { "aria-hidden": "true" }, `✗ ${f.finding}`)));
  const state = wrong.length > 0 ? "bad" : "good";
  return h("tr", { "data-testid": "without" }, h("th", { scope: "row" }, say("without")),
    h(`td.cell-${state}`, { colspan: columns, "data-cell": state }, wrong.length > 0 ? runs : h("span", null, `✓ ${say("good")}`)));
}

// A call of a script begins with its line: reconcile.sh:41 cloud lb create.
function site({ site: text, kind }) {
  const [line, ...words] = text.split(" ");
  const about = kind && !words.includes(kind) ? h("span.muted", null, " " + kind) : null;
  return h("th.mono", { scope: "row" }, words.length > 0 ? [h("span.muted", null, line + " "), words.join(" "), about] : text);
}

function cell(view, at, [runs, found, stopped, shows], id) {
  let [state, sign, list] = ["good", "✓", view.findings];
  if (runs === 0) [state, sign] = ["none", "·"];
  else if (found > 0) [state, sign] = ["bad", "✗"];
  else if (stopped > 0) [state, sign, list] = ["stopped", "‖", view.stopped];
  else if (own(view).length > 0) [state, sign] = ["same", "="];
  const said = state === "none" ? say("none") : say({ good: "cellGood", same: "cellSame", bad: "cellBad", stopped: "cellStopped" }[state], runs, found || stopped);
  const shown = shows > 0 ? list?.[shows - 1] : undefined;
  const word = h("span", { "aria-hidden": "true" }, state === "none" ? sign : `${sign} ${say(state)}`);
  const inside = shown?.choices
    ? h("button", { type: "button", id: `panel-${id}`, title: shown.sentence, "aria-label": `${at}: ${said}. ${say("openRun")}`, onclick: send({ method: "openRun", text: JSON.stringify(shown.choices) }) }, word)
    : [word, h("span.sr", null, said)];
  return h(`td.cell-${state}`, { "data-cell": state, title: shown ? undefined : said }, inside);
}

function finding(f, tone, i) {
  return h("li", { "data-finding": f.finding },
    h("div.check-head", null, h(`span.tag.tag-${tone}`, null, f.finding), h("strong.mono.grow", null, f.object), h("span.muted", null, say("times", f.count)),
      h("button.btn.btn-small", { type: "button", id: `panel-${tone}-${i}`, onclick: send({ method: "openRun", text: JSON.stringify(f.choices) }) }, say("openRun"))),
    h("p", null, f.sentence), (f.fault || f.call) && h("p.muted.mono", null, [f.fault, f.call].filter(Boolean).join(" ")));
}
