// Finds the Chromium of the tests, or installs Debian's where that is allowed.
//
//   node web/e2e/chromium.mjs --install     prints its path; exit status 1 with what to do where there is none

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { argv, env, exit, getuid } from "node:process";
import { fileURLToPath } from "node:url";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const fixed = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

/** The path of a Chromium, or null. The variable CHROMIUM goes first. */
export function findChromium() {
  if (env.CHROMIUM) return existsSync(env.CHROMIUM) ? env.CHROMIUM : null;
  for (const name of names) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found) return found;
  }
  return fixed.find(existsSync) ?? null;
}

/**
 * Options for playwright's launch: a quiet browser that looks for nothing outside. A test opens a page of its own and
 * runs it for seconds, in which optimising the WebAssembly takes longer than it saves: it is left out (half the time
 * on two cores) but where optimised is true, as for users and in benchmarks.
 */
export function launchOptions({ optimised = false } = {}) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(missing());
  return { executablePath, args: optimised ? flags : [...flags, "--js-flags=--liftoff-only"] };
}

// What costs the browser more than the page costs it: the address bar's popups, two pages of Chromium's own that each
// window loads (a second of work, in which a page is up), and what draws by a graphics card in software. The list takes
// the place of Playwright's, whose other parts concern what asks the network, animations and windows that close.
const features = [
  "WebUIOmniboxAimPopup", "WebUIOmniboxPopup",
  "AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay", "MediaRouter",
  "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning",
];

export const flags = [
  ...(getuid?.() === 0 ? ["--no-sandbox"] : []),
  `--disable-features=${features.join(",")}`,
  "--disable-gpu",
  "--disable-software-rasterizer",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function missing() {
  if (env.CHROMIUM) return `CHROMIUM names ${env.CHROMIUM}, which is not there.`;
  return "The tests need a Chromium. On Debian or Ubuntu: apt-get install chromium. Elsewhere install Chromium or " +
    "Chrome, and name it in the variable CHROMIUM where it is not on PATH.";
}

function mayInstall() {
  return !env.CHROMIUM && getuid?.() === 0 && existsSync("/etc/debian_version") &&
    !/^ID=ubuntu/m.test(readFileSync("/etc/os-release", "utf8"));
}

if (argv[1] === fileURLToPath(import.meta.url) && argv.includes("--install")) {
  if (!findChromium() && mayInstall()) {
    console.log("Installing Debian's Chromium");
    const quiet = { stdio: ["ignore", "ignore", "inherit"], env: { ...env, DEBIAN_FRONTEND: "noninteractive" } };
    execFileSync("apt-get", ["update", "-q"], quiet);
    execFileSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium", "fonts-dejavu-core"], quiet);
  }
  const found = findChromium();
  if (!found) {
    console.error(missing());
    exit(1);
  }
  console.log(`Chromium: ${found}`);
}
