// What the page's program takes from JavaScript, in one file that is there before it starts.

import "./dom/patch.mjs";
import "./editor/editor.mjs";
