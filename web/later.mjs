/** The files of dist/ that a first visit does not load: the service worker keeps each once it was asked for. */
export const later = ["bundle.js", "document.css", "fidelity.html", "link.js", "panels.js", "plots.js", "rules.wasm.gz", "scripts.html", "scripts.wasm.gz"];
