// The acts of an incident: what happens in which order, how far it has been played, and how it ends.

import { button, h, say, send } from "./panels.mjs";

/** The acts, each with what is to be seen at its end, and the buttons that play them. */
export function acts({ told }) {
  const { acts: all, act, begun, over, left, playing, from } = told;
  return h("div.story", null,
    h("h3", null, say("acts")),
    h("div.row", { role: "group", "aria-label": say("acts") },
      !over && !left && button("play-story", say(playing ? "pauseStory" : act > 0 || begun ? "goOnStory" : "playStory"), ["play"], { main: true, "aria-keyshortcuts": "p" }),
      !over && !left && button("next-act", say("nextAct"), ["act"], { "aria-keyshortcuts": "." }),
      left > 0 && button("back-to-story", say("backToStory"), ["backToStory"], { main: true }),
      (over || act > 0 || begun || left > 0) && button("story-again", say("storyAgain"), ["again"], { main: over })),
    left > 0 && h("p.muted", { role: "status" }, say("left", left)),
    h("ol.md-list", { "data-testid": "acts", "data-act": act }, all.map((one, i) => {
      const state = i < act ? "over" : i === act && begun && !left ? "now" : "toCome";
      return h("li", { "data-state": state, "aria-current": state === "now" ? "step" : null },
        i < act ? h("button.link", { type: "button", id: `panel-act-${i}`, title: say("step", one.to), onclick: send({ method: "seek", n: one.to }) }, one.says) : h(state === "now" ? "strong" : "span", null, one.says),
        i < act && one.shows && shown(one, i + 1));
    })));
}

// What an act shows at its end, beside what its document says.
const shown = ({ shows, holds }, n) => [
  h("pre.shows", { tabindex: "0", role: "region", "aria-label": say("shows", n) }, shows),
  !holds && h("p.fault-text", null, say("otherwise"))];

/** How it ended, with what shows it; nothing before the end. */
export function ending({ told, scenario, cure }) {
  const { over, outcome, acts: all, passes, objects, outside, revision, clock } = told;
  if (!over) return h("p.muted", null, say("beforeEnd"));
  const holds = all.every((one) => one.holds);
  return h("div", { "data-testid": "outcome", "data-happens": String(outcome.happens), "data-holds": String(holds), "data-cure": cure, role: "status" },
    h(outcome.happens ? "span.tag.tag-fault" : "span.tag.tag-ok", null, say(outcome.happens ? "occurred" : "averted")),
    h("p", null, outcome.says),
    h("p.muted", { "data-testid": "evidence" }, say("evidence", passes, objects, outside, revision, clock), " ", say(holds ? "asWritten" : "otherwise")),
    outcome.see?.length > 0 && h("div.row", { role: "group", "aria-label": say("look") }, h("span.muted", null, say("look")), outcome.see.map((what, i) => button(`see-${i}`, named(what), ["look", what]))),
    next(scenario, cure));
}

// What is to be looked at, in words.
function named(what) {
  const [kind, n] = what.split(" ");
  return kind === "act" ? say("endOfAct", n) : kind === "queue" ? say("seeQueue") : kind === "log" ? say("seeLog") : kind === "cloud" ? say("seeCloud") : what;
}

// The cure to try after this one.
function next({ cures = [] }, cure) {
  const after = cures[cures.findIndex((c) => c.name === cure) + 1];
  return after && h("div.row", null, button("next-cure", say("nextCure", after.title), ["cure", after.name], { main: true }));
}
