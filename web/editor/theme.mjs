// Colours of the editor. Each is a custom property that the page may set, with a fallback that is
// readable on the page's light paper; contrast is at least 4.5:1 for text in both themes.

import { EditorView } from "@codemirror/view";
import { HighlightStyle } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const color = {
  text: "var(--editor-text, var(--ink, #1b2330))",
  paper: "var(--editor-paper, var(--panel, #ffffff))",
  gutter: "var(--editor-gutter, var(--muted, #5a6577))",
  line: "var(--editor-line, rgba(47, 98, 217, 0.07))",
  selection: "var(--editor-selection, rgba(47, 98, 217, 0.22))",
  accent: "var(--editor-accent, var(--accent, #2f62d9))",
  key: "var(--editor-key, #1f4fb8)",
  string: "var(--editor-string, #157f4f)",
  number: "var(--editor-number, #8a3ffc)",
  comment: "var(--editor-comment, #5f6b7d)",
  word: "var(--editor-word, #9a3e00)",
  fault: "var(--editor-fault, var(--fault, #b42318))",
  waiting: "var(--editor-waiting, var(--waiting, #9a5b00))",
  border: "var(--editor-border, var(--line, #d7dce5))",
};

export const theme = EditorView.theme({
  "&": {
    color: color.text,
    backgroundColor: color.paper,
    blockSize: "100%",
    fontSize: "var(--editor-size, 13px)",
  },
  // The frame lies over the gutters, which would hide an outline's left side.
  "&.cm-focused": { outline: "none" },
  "&:focus-within::after": {
    content: '""', position: "absolute", inset: "0", border: `2px solid ${color.accent}`, pointerEvents: "none", zIndex: "300",
  },
  ".cm-scroller": {
    fontFamily: "var(--editor-font, var(--mono, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace))",
    lineHeight: "1.55",
    overflow: "auto",
  },
  ".cm-content": { caretColor: color.accent },
  ".cm-cursor, .cm-dropCursor": { borderInlineStartColor: color.accent, borderInlineStartWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": {
    backgroundColor: color.selection,
  },
  ".cm-gutters": { color: color.gutter, backgroundColor: color.paper, border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: color.line },
  // Wide enough for two digits and a mark from the beginning: the text stays where it is when they come.
  ".cm-lineNumbers .cm-gutterElement": { minInlineSize: "1.55em", padding: "0 1px 0 2px" },
  ".cm-gutter-lint": { inlineSize: "1.15em" },
  ".cm-gutter-lint .cm-gutterElement": { padding: ".25em .1em" },
  ".cm-lint-marker": { inlineSize: ".95em", blockSize: ".95em" },
  ".cm-activeLineGutter": { color: color.text },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: color.selection },
  ".cm-tooltip": {
    color: color.text,
    backgroundColor: color.paper,
    border: `1px solid ${color.border}`,
    borderRadius: "6px",
  },
  ".cm-panels": { color: color.text, backgroundColor: color.paper, borderColor: color.border },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", maxInlineSize: "60ch", padding: "4px 8px" },
  ".cm-diagnostic-error": { borderInlineStart: `4px solid ${color.fault}` },
  ".cm-diagnostic-warning": { borderInlineStart: `4px solid ${color.waiting}` },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: `underline wavy ${color.fault}`,
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: `underline wavy ${color.waiting}`,
    textUnderlineOffset: "3px",
  },
});

export const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.labelName], color: color.key },
  { tag: [tags.string, tags.special(tags.string), tags.content], color: color.string },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: color.number },
  { tag: [tags.lineComment, tags.comment, tags.meta], color: color.comment },
  { tag: [tags.keyword, tags.typeName, tags.definitionKeyword, tags.controlKeyword], color: color.word },
  { tag: [tags.variableName, tags.definition(tags.variableName), tags.attributeName], color: color.key },
  { tag: tags.invalid, color: color.fault },
]);
