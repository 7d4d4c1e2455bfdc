// The fault matrix: a row for each call of the script, a column for each fault, and what came of it in sign and word.

import { button, h, say, send } from "./panels.mjs";

export function prove(data) {
  const { prove: view, scenario, error, mine } = data;
  const busy = view && (view.state === "running" || view.state === "paused");
  return [
    h("div.row", null,
      button("prove", say("prove"), ["prove"], { main: !busy, "aria-disabled": busy && "true" }),
      busy && (view.state === "paused" ? button("resume", say("resume"), send({ method: "proving", name: "resume" })) : button("pause", say("pause"), send({ method: "proving", name: "pause" }))),
      busy && button("cancel", say("cancel"), send({ method: "proving", name: "cancel" })),
      mine > 0 && button("mine", say("back"), send({ method: "takeUp", n: mine })),
      h("span.muted", null, [scenario.script, scenario.title].filter(Boolean).join(" · "))),
    error && h("p.fault-text", { role: "alert" }, error),
    view ? verdict(view) : h("p.muted", null, say("proveNote")),
    view?.rows?.length > 0 && matrix(view, data.whys ?? []),
    view && h("ul.checks", null, (view.findings ?? []).map((f, i) => finding(f, "fault", i)), (view.stopped ?? []).map((f, i) => finding(f, "wait", i))),
  ].filter(Boolean);
}

function seconds(ms) {
  const s = Math.max(1, Math.round(ms / 1000));
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
}

function verdict(view) {
  const attributes = { "data-testid": "verdict", "data-state": view.state };
  const b = view.bounds;
  if (b) {
    const wrong = view.findings?.length ?? 0;
    const text = wrong > 1 ? say("manyWrong", wrong) : wrong === 1 ? say("oneWrong") : view.stopped?.length ? say("stops") : say("clean");
    return h("p", { ...attributes, role: "status" }, h("strong", null, text), " " + say("bounds", b.runs, b.faults.length, b.places, b.depth, b.orders, b.passes, b.seed, b.states));
  }
  if (view.state === "cancelled") return h("p", { ...attributes, role: "status" }, say("cancelled", view.done, view.total));
  const says = [view.total === 0 ? say("baseline") : say("runs", view.done, view.total)];
  if (view.state === "paused") says.push(say("paused"));
  else if (view.left > 0) says.push(say("left", seconds(view.left)));
  return h("p", attributes, h("progress", { max: Math.max(1, view.total), value: view.done, "aria-label": say("prove") }), " " + says.join(", "));
}

function matrix(view, whys) {
  // What can happen nowhere has no column in the end.
  const shown = [...view.faults.keys()].filter((i) => view.state !== "done" || view.rows.some((row) => row.cells[i][0] > 0));
  return h("div", null,
    h("p.matrix-legend.muted", null, ["legendGood", "legendBad", "legendStopped", "legendNone"].map((key) => h("span", null, say(key)))),
    h("div.matrix-wrap", { tabindex: "0", role: "region", "aria-label": say("prove"), "data-scroll": "matrix" },
      h("table.matrix", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, say("call")), shown.map((i) => h("th", { scope: "col", title: whys[i] }, view.faults[i])))),
        h("tbody", null, view.rows.map((row, r) => h("tr", null, site(row), shown.map((i) => cell(view, `${row.site}, ${view.faults[i]}`, row.cells[i], `cell-${r}-${i}`))))))));
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
  const said = state === "none" ? say("none") : say({ good: "cellGood", bad: "cellBad", stopped: "cellStopped" }[state], runs, found || stopped);
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
