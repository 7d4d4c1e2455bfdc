// Draws the panels that no first visit needs: the lesson, the fault matrix, what is wrong, the keys of the work queue.
// Bundled as panels.js and loaded when one is first opened.
//
// draw(element, now, of, act) draws what web/app's Panel gives into the element, in place of what was there;
// act(name, argument) is called with what the person does (web/app's PanelAct). Texts of a cluster are untrusted: they
// become text nodes and attributes, never markup.

import words from "../words/panels.en.json";
import { found, keys } from "./insight.mjs";
import { lesson } from "./lesson.mjs";
import { merge as merged, remember as remembered } from "./progress.mjs";
import { prove } from "./prove.mjs";

/** Adds a file of progress to what is known. */
export async function merge(text, known, onAct) {
  onAct("send", JSON.stringify({ method: "progress", text: merged(text, known) }));
}

// A grade that is new goes into what is known.
function remember(data) {
  const now = remembered(data);
  if (now) act("send", JSON.stringify({ method: "progress", text: JSON.stringify(now) }));
}

/** The sentence of a key, with what stands for {0}, {1}, ... */
export const say = (key, ...args) => words[key].replace(/\{(\d)\}/g, (_, n) => String(args[n]));

const panels = { found, keys, lesson, prove };

let act = () => {};

// One act, or several after each other.
function acts(what) {
  asked = "";
  for (const [name, argument = ""] of Array.isArray(what[0]) ? what : [what]) act(name, argument);
}

/** An element: h("button.btn", {onclick: ["run", "..."], title: "..."}, "text", child, null). onclick is an act, or a list of them. */
export function h(what, attributes, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "onclick") element.addEventListener("click", () => acts(value));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A small button. Its id keeps the focus when the panel is drawn again. */
export function button(id, name, onclick, attributes = {}) {
  const { main, ...rest } = attributes;
  return h(main ? "button.btn.btn-small.btn-main" : "button.btn.btn-small", { type: "button", id: `panel-${id}`, "data-testid": id, onclick, ...rest }, name);
}

/** Sends a command to the engine. */
export const send = (command) => ["send", JSON.stringify(command)];

// The button that was clicked once and asks, by its id: it asks still when the panel is drawn again.
let asked = "";

/** A button that asks before it acts: the first click changes its name, the second acts. */
export function asking(id, name, question, onclick) {
  const sure = asked === id;
  const ask = button(id, sure ? question : name, null, { main: sure });
  ask.addEventListener("click", () => {
    asked = sure ? "" : id;
    ask.replaceWith(asking(id, name, question, onclick));
    document.getElementById(`panel-${id}`).focus();
    if (sure) acts(onclick);
  });
  return ask;
}

// What the panel shows; where it cannot be drawn, why, and how to go on.
function drawn(data) {
  try {
    remember(data);
    return panels[data.tab](data);
  } catch (err) {
    console.error(err);
    return [h("p.fault-text", { role: "alert" }, say("broken", err.message))];
  }
}

/** Draws what is in the texts now and of, both JSON, into the element. */
export function draw(element, now, of, onAct) {
  act = onAct;
  const data = { ...JSON.parse(now), scenario: JSON.parse(of) };
  data.progress ??= {};
  const focus = element.contains(document.activeElement) ? document.activeElement.id : "";
  const scrolled = [...element.querySelectorAll("[data-scroll]")].map((box) => [box.dataset.scroll, box.scrollTop, box.scrollLeft]);
  // Another lesson is read from its top, and nothing in it has been asked.
  const top = element.dataset.scenario === data.scenario.name ? element.scrollTop : 0;
  if (element.dataset.scenario !== data.scenario.name) asked = "";
  element.dataset.scenario = data.scenario.name;
  element.replaceChildren(...drawn(data));
  element.scrollTop = top;
  for (const [name, y, x] of scrolled) element.querySelector(`[data-scroll="${name}"]`)?.scrollTo(x, y);
  if (focus) (document.getElementById(focus) ?? element).focus({ preventScroll: true });
}
