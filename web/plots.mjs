// The plots over virtual time, on uPlot. Bundled as plots.js and loaded when the tab of the plots is first opened.
//
// uPlot sets styles through the object model, which the page's policy allows; its style sheet is adopted.

import uPlot from "uplot";
import css from "uplot/dist/uPlot.min.css";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 6]];

// Lines differ by their dashes too, not by colour alone.
function lines(names, colours, step) {
  return names.map((label, i) => ({
    label, stroke: colours[i % colours.length], width: 1.5, dash: dashes[i % dashes.length], points: { show: false },
    paths: step ? uPlot.paths.stepped({ align: 1 }) : undefined,
  }));
}

function chart(parent, title, data, series, theme) {
  const axis = { stroke: theme.muted, grid: { stroke: theme.line, width: 1 }, ticks: { stroke: theme.line, width: 1 }, font: theme.font, size: 44 };
  const width = Math.max(180, Math.floor(parent.clientWidth / (parent.clientWidth > 700 ? 4 : 2)) - 8);
  return new uPlot({
    title, width, height: Math.max(120, Math.min(220, parent.clientHeight - 70)), cursor: { show: false },
    scales: { x: { time: false } }, axes: [{ ...axis, size: 26 }, axis], series: [{ label: "s" }, ...series],
    legend: { live: false },
  }, data, parent);
}

let drawn = [];

/** Draws the four plots anew. names are their titles, words the names of their lines. */
export function draw(parent, data, names, words) {
  for (const plot of drawn) plot.destroy();
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const theme = { muted: colour("--muted"), line: colour("--line"), font: "11px " + colour("--sans") };
  const colours = ["--accent", "--wait", "--ok", "--fault", "--code-keyword", "--muted"].map(colour);
  const backoff = [data.backoff.map((b) => b.t), data.backoff.map((b) => b.delay)];
  drawn = [
    chart(parent, names[0], [data.t, data.depth, data.waiting], lines(words.slice(0, 2), colours, true), theme),
    chart(parent, names[1], [data.t, ...data.passes], lines(data.keys, colours, true), theme),
    chart(parent, names[2], [data.t, data.effective, data.noOp], lines(words.slice(2, 4), colours, true), theme),
    chart(parent, names[3], backoff, [{ label: words[4], stroke: colours[3], width: 0, points: { show: true, size: 6 } }], theme),
  ];
}
