/**
 * The files of dist/ that no first visit waits for. The service worker keeps the scripts among them when it is installed,
 * once the page is there, and each of the others once it was asked for.
 */
export const later = ["bundle.js", "document.css", "fidelity.html", "link.js", "panels.js", "plots.js", "rules.wasm.gz", "scripts.html", "scripts.wasm.gz"];
