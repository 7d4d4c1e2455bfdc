// The text editor of the page: CodeMirror 6 with YAML and shell, bundled into one classic script.
//
// The public face is one global with one function:
//
//   ReconcileEditor.create(parent, {doc, lang, label, hint, onChange, onApply})
//     -> {setDoc, getDoc, setMarks, setLang, setLabel, setReadOnly, focus, destroy}
//
// The editor lives in a shadow root: CodeMirror then uses adopted style sheets instead of <style>
// elements, which the page's policy (style-src 'self') would refuse. Its colours come from the custom
// properties --editor-* of the page, which a shadow root inherits.

import { Annotation, Compartment, EditorState, Prec } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  keymap, lineNumbers,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { yaml } from "@codemirror/lang-yaml";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { highlighting, theme } from "./theme.mjs";

/** Marks a change made by the page rather than by the person, so that onChange stays quiet. */
const fromPage = Annotation.define();

const languages = {
  yaml: () => yaml(),
  shell: () => StreamLanguage.define(shell),
  text: () => [],
};

/** After Escape the next Tab leaves the editor, however long a person takes to press it. */
const tabLeavesFor = 24 * 60 * 60 * 1000;

function language(name) {
  return (languages[name] ?? languages.text)();
}

/**
 * Puts an editor into parent.
 *
 * doc is the text, lang one of "yaml", "shell" and "text". label is the accessible name, hint the
 * sentence a screen reader adds to it. onChange(text) is called after each change that a person made,
 * never for setDoc. onApply(text) is called for Ctrl-Enter (Cmd-Enter on a Mac).
 */
function create(parent, options = {}) {
  const host = document.createElement("div");
  host.className = "editor-host";
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [hostSheet()];
  const hint = document.createElement("p");
  hint.id = "hint";
  hint.textContent = options.hint ?? "Ctrl Enter applies; Escape, then Tab leaves.";
  root.append(hint);
  parent.append(host);

  const slots = { lang: new Compartment(), label: new Compartment(), readOnly: new Compartment() };
  let current = { lang: options.lang ?? "yaml", label: options.label ?? "Editor", readOnly: false };
  const state = (doc) => EditorState.create({ doc, extensions: extensions(slots, current, options) });
  const view = new EditorView({ state: state(options.doc ?? ""), parent: root, root });

  return {
    /**
     * Replaces the text. Undo starts anew, since the text may be another file's, and it is read from its
     * beginning; with keepHistory the replacement is one more step of the same text, and the cursor stays where it was.
     */
    setDoc(text, keepHistory = false) {
      const same = text === view.state.doc.toString();
      if (!keepHistory) {
        if (!same) view.setState(state(text));
        view.scrollDOM.scrollTop = 0;
        return;
      }
      if (same) return;
      const anchor = Math.min(view.state.selection.main.head, text.length);
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor },
        annotations: fromPage.of(true),
      });
    },
    /** The text as it is now. */
    getDoc() {
      return view.state.doc.toString();
    },
    /**
     * Shows marks in place of the earlier ones: {line, col, severity, message}, line and col from 1;
     * severity is "error", "warning" or "info". A place outside the text is moved to its edge.
     */
    setMarks(marks) {
      view.dispatch(setDiagnostics(view.state, Array.from(marks ?? [], (mark) => diagnostic(view.state.doc, mark))));
    },
    /** Changes the language of the text. */
    setLang(lang) {
      if (lang === current.lang) return;
      current = { ...current, lang };
      view.dispatch({ effects: slots.lang.reconfigure(language(lang)) });
    },
    /** Changes the accessible name. */
    setLabel(label) {
      current = { ...current, label };
      view.dispatch({ effects: slots.label.reconfigure(named(label)) });
    },
    /** Lets the text be read but not changed. */
    setReadOnly(readOnly) {
      current = { ...current, readOnly };
      view.dispatch({ effects: slots.readOnly.reconfigure(EditorState.readOnly.of(readOnly)) });
    },
    /** Puts the cursor into the editor; with a line and a column (from 1), there. */
    focus(line, col) {
      if (line) {
        const { from } = diagnostic(view.state.doc, { line, col });
        view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      }
      view.focus();
    },
    /** Removes the editor from the document. */
    destroy() {
      view.destroy();
      host.remove();
    },
  };
}

function extensions(slots, current, options) {
  return [
    keymap.of([
      { key: "Mod-Enter", run: (view) => (options.onApply?.(view.state.doc.toString()), true) },
    ]),
    lineNumbers(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorView.lineWrapping,
    indentUnit.of("  "),
    indentOnInput(),
    bracketMatching(),
    syntaxHighlighting(highlighting),
    theme,
    keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
    // Last, for an Escape that has nothing else to close; CodeMirror's own would wait two seconds only.
    Prec.lowest(keymap.of([{ key: "Escape", run: (view) => (view.setTabFocusMode(tabLeavesFor), true) }])),
    slots.lang.of(language(current.lang)),
    slots.label.of(named(current.label)),
    slots.readOnly.of(EditorState.readOnly.of(current.readOnly)),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !update.transactions.some((tr) => tr.annotation(fromPage))) {
        options.onChange?.(update.state.doc.toString());
      }
    }),
  ];
}

// Text typed over a selection: done by the browser itself, it would keep the look of what it replaces in an
// inline style, which the page's policy refuses with a complaint.
function typeOver(event, view) {
  const { state, composing } = view;
  if (event.inputType !== "insertText" || !event.data || composing || event.isComposing || state.readOnly || state.selection.main.empty) {
    return false;
  }
  event.preventDefault();
  view.dispatch(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

function named(label) {
  return EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "hint", tabindex: "0", spellcheck: "false" });
}

function diagnostic(doc, { line = 1, col = 1, severity = "error", message = "" }) {
  const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const from = Math.min(at.from + Math.max(0, col - 1), at.to);
  // A mark of no width would be invisible: it runs to the end of the line, or over the whole of it.
  return { from: from === at.to ? at.from : from, to: at.to, severity, message };
}

let shared;
function hostSheet() {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(
      ":host{display:flex;flex-direction:column;block-size:100%;min-block-size:0}" +
      ".cm-editor{flex:1 1 auto;min-block-size:0}" +
      "#hint{position:absolute;inline-size:1px;block-size:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}" +
      // While text is typed the sentence is there for everybody, below the text.
      ":host(:focus-within) #hint{position:static;order:1;flex:none;inline-size:auto;block-size:auto;padding:2px 8px;clip-path:none;white-space:normal;" +
      "font-size:12px;color:var(--muted);border-block-start:1px solid var(--line)}",
    );
  }
  return shared;
}

globalThis.ReconcileEditor = { create };
