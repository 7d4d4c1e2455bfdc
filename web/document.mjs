// Makes a page of a Markdown document: headings, paragraphs, lists of one level, tables, code and links, which is what
// the documents that dist/ carries are made of. A link to another file of the repository is its words alone. All text is escaped; what is not known stays as it is written.

const escape = (s) => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// A long word of several goes on in the next line between them, not inside one.
const between = (html) => html.replace(/(<[^>]*>)|\b[A-Za-z]{20,}\b/g, (word, tag) => tag ?? word.replace(/(?<=[a-z])(?=[A-Z])/g, "<wbr>"));

function inline(s) {
  return between(s.split(/(`[^`]*`)/).map((part) => part.startsWith("`") && part.endsWith("`") && part.length > 1
    ? `<code>${escape(part.slice(1, -1))}</code>`
    : escape(part)
      .replace(/\[([^\]]+)\]\([\w./-]+\.md\)/g, "$1")
      .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replace(/\[([^\]]+)\]\((https?:[^)\s]+|[\w./#-]+)\)/g, '<a href="$2">$1</a>')).join(""));
}

// The cells of a row: a bar that is escaped belongs to the text.
const cells = (row) => row.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));

function table(lines) {
  const [head, rule, ...rows] = lines.map(cells);
  const right = rule.map((c) => (c.endsWith(":") ? ' class="num"' : ""));
  const tr = (row, tag) => `<tr>${row.map((c, i) => `<${tag}${tag === "th" ? ' scope="col"' : ""}${right[i] ?? ""}>${inline(c)}</${tag}>`).join("")}</tr>`;
  return `<div class="wide" tabindex="0" role="region" aria-label="${escape(head.join(", "))}"><table><thead>${tr(head, "th")}</thead><tbody>\n${rows.map((r) => tr(r, "td")).join("\n")}\n</tbody></table></div>`;
}

function block(text) {
  const lines = text.split("\n");
  if (lines[0].startsWith("```")) return `<div class="wide" tabindex="0" role="region" aria-label="code"><pre>${escape(lines.slice(1, -1).join("\n"))}</pre></div>`;
  const heading = lines[0].match(/^(#{1,4}) (.*)$/);
  if (heading) return `<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`;
  if (lines[0].startsWith("|")) return table(lines);
  if (lines[0].startsWith("- ")) return `<ul>${text.split(/^- /m).filter((item) => item).map((item) => `<li>${inline(item.trim())}</li>`).join("")}</ul>`;
  return `<p>${inline(text)}</p>`;
}

// The parts between empty lines; code is one part, whatever it holds.
const blocks = (markdown) => markdown.trim().split(/(^```[^]*?^```$)/m).flatMap((part) => (part.startsWith("```") ? [part] : part.trim().split(/\n\n+/))).filter((part) => part);

/** The page of a Markdown text, with the styles of the given version. */
export function documentPage(markdown, version) {
  const title = markdown.match(/^# (.*)$/m)[1];
  return `<!DOCTYPE html>
<html lang="en" data-version="${version}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escape(title)} · Reconcile Playground</title>
<link rel="icon" href="icon.svg?v=${version}" type="image/svg+xml">
<link rel="stylesheet" href="document.css?v=${version}">
</head>
<body>
<main>
<p><a href="./">Reconcile Playground</a></p>
${blocks(markdown).map(block).join("\n")}
</main>
</body>
</html>
`;
}
