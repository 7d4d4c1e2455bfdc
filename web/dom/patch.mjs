// Changes the document as web/dom/document.go tells it to: all the changes of one drawing come as one text, since a
// call from Go into the browser costs more than most changes do.
//
// The public face are two globals: ReconcileReveal(ids), and ReconcilePatch(root), which returns a function that takes
// such a text. A text is a row of changes, each a number that picks what is done and what that takes: numbers, texts
// behind their lengths, and names, which are numbers that come with their text when they are first used. A number is
// one UTF-16 unit below 0x7fff, or 0x7fff and two units of 15 bits each. Nodes have numbers, root is 0; the number of
// one that has gone is given anew.

const svg = "http://www.w3.org/2000/svg";

function patcher(root) {
  const nodes = [root];
  const names = [];
  let text = "";
  let at = 0;
  const number = () => {
    const n = text.charCodeAt(at++);
    return n < 0x7fff ? n : text.charCodeAt(at++) * 0x8000 + text.charCodeAt(at++);
  };
  const string = () => {
    const length = number();
    return text.slice(at, at += length);
  };
  const name = () => names[number()] ?? (names[names.length] = string());
  const node = () => nodes[number()];
  const make = (made) => { nodes[number()] = made(); };
  // The order is that of the constants in web/dom/document.go.
  const changes = [
    () => make(() => document.createElement(name())),
    () => make(() => document.createElementNS(svg, name())),
    () => make(() => document.createTextNode(string())),
    () => { node().nodeValue = string(); },
    () => setAttribute(node(), name(), string()),
    () => removeAttribute(node(), name()),
    () => node().appendChild(node()),
    () => node().insertBefore(node(), node()),
    () => node().remove(),
    () => {
      const n = number();
      nodes[n].reconcileHandlers = n;
    },
  ];
  return (all) => {
    text = all;
    for (at = 0; at < text.length;) changes[number()]();
    text = "";
  };
}

// A name that begins with "--" is a custom property of the element's style, one with "." a property of the element.
function setAttribute(element, name, value) {
  if (name.startsWith("--")) {
    element.style.setProperty(name, value);
  } else if (name === ".checked") {
    element.checked = true;
  } else if (name === ".top") {
    // Told beforehand, since asking whether it is would lay the page out: see listen in web/dom/events.go.
    if (element.hasAttribute("data-scrolled")) element.scrollTop = 0;
  } else if (name.startsWith(".")) {
    const property = name.slice(1);
    if (element[property] !== value) element[property] = value;
    // What a list was drawn with last: see happened in web/dom/events.go.
    if (property === "value" && element.localName === "select") element.reconcileDrawn = value;
  } else {
    element.setAttribute(name, value);
  }
}

function removeAttribute(element, name) {
  if (name.startsWith("--")) {
    element.style.removeProperty(name);
  } else if (name === ".checked") {
    element.checked = false;
  } else if (name.startsWith(".")) {
    element[name.slice(1)] = "";
  } else {
    element.removeAttribute(name);
  }
}

// Brings elements into sight, named by their ids with spaces between them, and of a place with more things than it shows
// what happens next.
function reveal(ids) {
  for (const id of ids.split(" ")) {
    const element = document.getElementById(id);
    element?.scrollIntoView({ block: "nearest" });
    const list = element?.querySelector(":scope > ul");
    if (list?.scrollHeight > list?.clientHeight) list.getElementsByClassName("first")[0]?.scrollIntoView({ block: "nearest" });
  }
}

globalThis.ReconcilePatch = patcher;
globalThis.ReconcileReveal = reveal;
