// What is wrong with the run, and the work queue, key by key.

import { button, h, say, send } from "./panels.mjs";
import { ending } from "./story.mjs";

/** The list of what is wrong, each with the step after which it showed. */
export const findings = (list) => h("ul.checks", null, list.map((f, i) => h("li", { "data-finding": f.finding },
  h("div.check-head", null, h("span.tag.tag-fault", null, f.finding), h("strong.mono.grow", null, f.object), button(`seek-${i}`, say("step", f.step), send({ method: "seek", n: f.step }))),
  h("p", null, f.sentence), f.call && h("p.muted.mono", null, f.call))));

/** What is said where nothing is wrong: of a run that has come to its end, is at rest but was not judged there, or goes on. */
export const nothingWrong = ({ quiet, judged }) => h("p.muted", { role: "status" },
  say(judged ? (quiet ? "nothingWrongAtRest" : "nothingWrongAtEnd") : quiet ? "nothingWrongUnjudged" : "nothingWrong"));

// Of a story that is over its own end is said: that nothing was found does not mean that nothing happened.
export const found = (data) => [data.found?.length > 0 ? findings(data.found) : data.told?.over ? ending(data) : nothingWrong(data)];

const short = (ms) => (ms < 0 ? "0 s" : ms < 1000 ? `${Math.round(ms * 1000) / 1000} ms` : ms < 60000 ? `${Math.round(ms / 10) / 100} s` : `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`);

export function keys({ queue, since, texts = {}, several }) {
  const items = queue.items ?? [], processing = queue.processing ?? [], { priorities } = queue;
  if (items.length + processing.length === 0) return [h("p.muted", null, say("queueEmpty"))];
  const columns = [say("key"), priorities && say("priority"), say("due"), say("failures"), say("why"), say("worker")].filter(Boolean);
  return [h("table.keys-table", null,
    h("thead", null, h("tr", null, columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null,
      processing.map((key) => h("tr", null, h("th.mono", { scope: "row" }, key), priorities && h("td"), h("td", null, say("inHand")), h("td"), h("td"), h("td"))),
      items.map((item, i) => h("tr", { "data-key": item.key },
        h("th.mono", { scope: "row" }, item.key, several && h("span.muted", null, " " + item.process)),
        priorities && h("td.num", { "data-priority": item.priority ?? 0 }, String(item.priority ?? 0)),
        h("td", null, item.ready ? say("ready") : say("in", short(item.due / 1e6 - since))),
        h("td.num", null, String(item.failures)),
        h("td", null, h("ol.causes", null, why(item, i, texts))),
        h("td", null, item.action && button(`take-${i}`, say("take"), ["step", item.action], { "data-action": item.action }))))))];
}

// Why a key is in the queue, back to the write that caused it.
function why(item, n, texts) {
  if (!item.causes?.length) return (item.why ?? []).map((y) => h("li", null, y.text));
  return item.causes.map((c, i) => h("li", null,
    h("span.muted", null, say(i === 0 ? (c.key ? "byPass" : "byOutside") : c.key ? "wokenByPass" : "wokenByOutside", c.key)), " ",
    h("button.link", { type: "button", id: `panel-cause-${n}-${i}`, onclick: send({ method: "seek", n: c.event }) }, say("cause", c.event, texts[c.event] ?? ""))));
}
