// The lesson or the incident that is open: what it is about, what is to be done, and how the script does.

import { asking, button, h, say, send } from "./panels.mjs";
import { findings, nothingWrong } from "./insight.mjs";
import { changed, exported, shown } from "./progress.mjs";
import { acts, ending } from "./story.mjs";

const paragraphs = (text) => (text ?? "").split("\n\n").map((part) => part.split(/\s+/).join(" ").trim()).filter(Boolean);
const items = (list) => (list ?? []).map((text) => h("li", null, text));

export function lesson(data) {
  const learned = data.progress[data.scenario.name] ?? {};
  const { told, scenario } = data;
  if (!told) return [about(data), todo(data, learned), judged(data, learned)];
  if (scenario.kind === "incident") return [about(data), acts(data), judged(data, learned)];
  return [h("div", null, about(data), acts(data), ending(data), scenario.cures && cures(scenario, data.cure)), todo(data, learned), judged(data, learned)];
}

// The text of a script of the scenario's document.
function scriptOf(source, name) {
  const parts = source.split(/^-- (.+) --\r?\n/m);
  return parts[parts.indexOf(`scripts/${name}`) + 1];
}

const download = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

function about({ scenario }) {
  return h("div", null,
    h("h2", null, scenario.title),
    paragraphs(scenario.story).map((part) => h("p", null, part)),
    scenario.look && [h("h3", null, say("look")), h("ul.md-list", null, items(scenario.look))]);
}

function todo({ scenario, cure, progress, told }, learned) {
  return h("div", null,
    scenario.tasks && [h("h3", null, say("tasks")), h("ol.md-list", { "data-testid": "tasks" }, items(scenario.tasks))],
    scenario.kind === "lesson" && scenario.script && help(scenario, learned, progress),
    scenario.cures && !told && cures(scenario, cure));
}

function help(scenario, learned, progress) {
  const { hints = [], solution, script, source, name } = scenario;
  const shown = Math.min(learned.hints ?? 0, hints.length);
  const note = (change) => send({ method: "progress", text: JSON.stringify(changed(progress, name, change)) });
  return [
    h("h3", null, say("hints")),
    h("ol.md-list", { "data-testid": "hints", "aria-live": "polite" }, items(hints.slice(0, shown))),
    h("div.row", null,
      shown < hints.length ? button("hint", say("nextHint", shown + 1, hints.length), note({ hints: shown + 1 })) : h("span.muted", null, say("noMoreHints")),
      solution && asking("solution", say("solution"), say("solutionSure"), [
        note({ solution: true }), send({ method: "file", name: solution, text: scriptOf(source, solution) }), ["open", solution]]),
      asking("start-script", say("start"), say("startSure"), [send({ method: "setScript", name: script, text: scriptOf(source, script) }), ["open", script]]),
      learned.script && asking("my-script", say("mine"), say("startSure"), [send({ method: "setScript", name: script, text: learned.script }), ["open", script]]))];
}

function cures({ cures: all }, cure) {
  const one = (name, title, says) => [
    h("button.btn.btn-small", { type: "button", id: `panel-cure-${name}`, "data-cure": name, "aria-pressed": String(cure === name), onclick: ["cure", name] }, title),
    says && h("p.muted", null, says)];
  return h("div.cures", { role: "group", "aria-label": say("cures") }, h("h3", null, say("cures")), one("", say("noCure")), all.map((c) => one(c.name, c.title, c.says)));
}

function judged(data, learned) {
  const { scenario, grade, error } = data;
  return h("div", null,
    scenario.graded && scenario.kind !== "incident" && h("div.row", null,
      button("grade", say(data.grading ? "grading" : "grade"), ["grade"], { main: true, "aria-disabled": data.grading && "true" }),
      learned.passed ? h("span.tag.tag-ok", { "data-testid": "solved" }, say("solved")) : learned.checks > 0 && h("span.tag", null, say("best", learned.held ?? 0, learned.checks))),
    error && h("p.fault-text", { role: "alert" }, error),
    grade ? graded(grade) : scenario.kind === "incident" ? wrong(data) : scenario.graded && h("p.muted", null, say("gradeNote")),
    onwards(data));
}

function graded(grade) {
  const checks = grade.checks ?? [];
  const held = checks.filter(shown).length;
  // Those that do not hold come first, those that nothing is known of last.
  const sorted = [...checks.filter((c) => !c.passed), ...checks.filter(shown), ...checks.filter((c) => c.noOccasion)];
  const state = (c) => (c.noOccasion ? h("span.tag", null, say("noOccasion")) : c.passed ? h("span.tag.tag-ok", null, say("holds")) : h("span.tag.tag-fault", null, say("fails")));
  return h("div", null,
    h("p", { role: "status", "data-testid": "grade-result", "data-passed": String(grade.passed) }, h("strong", null, grade.passed ? say("passed") : say("notPassed", held, checks.length))),
    h("ul.checks", { "data-testid": "checks" }, sorted.map((c, i) => h("li", { "data-check": c.name, "data-passed": String(c.passed), "data-occasion": String(!c.noOccasion) },
      h("div.check-head", null, state(c), h("strong.grow", null, c.name.replaceAll("-", " ")),
        c.choices?.length > 0 && h("button.btn.btn-small", { type: "button", id: `panel-run-${i}`, onclick: send({ method: "openRun", text: JSON.stringify(c.choices) }) }, say("showRun"))),
      h("p", null, say("expected", c.expected)),
      !c.passed && h("p.fault-text", null, say("happened", c.happened))))));
}

// What goes wrong: of an incident that is told, how it ends and what was found of it; that nothing was found is not
// said of one.
function wrong(data) {
  const some = data.found?.length > 0;
  return h("div", null, h("h3", null, say(data.told ? "ends" : "wrong")), data.told && ending(data), some ? findings(data.found) : !data.told && nothingWrong(data),
    data.told && data.scenario.cures && cures(data.scenario, data.cure));
}

function onwards({ scenario, next, away, script, progress }) {
  const takeaway = button("progress", say("progress"), null);
  takeaway.addEventListener("click", () => download("reconcile-progress.json", "application/json", exported(progress)));
  return h("div.row", { role: "group", "aria-label": say("onwards") },
    away && button("mine", say("back"), ["mine"], { main: true }),
    next.name && button("next-lesson", say(scenario.kind === "lesson" ? "nextLesson" : "nextIncident", next.title), ["pick", next.name]),
    script && button("bundle", say("lab"), ["lab"], { title: say("labNote") }),
    scenario.source?.includes("\n-- download/") && button("project", say("project"), ["project"]),
    Object.keys(progress).length > 0 && takeaway);
}
