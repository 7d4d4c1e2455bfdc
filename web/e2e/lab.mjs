// One browser and one server for all tests of a file; each test has a context, and so a storage, of its own.

import { after, before } from "node:test";
import { readFileSync } from "node:fs";
import { dist, launch, openPage, serve, state, testid, until } from "./harness.mjs";

/**
 * Registers the setting up and the taking down for the file and returns what its tests open pages with:
 *
 *   const lab = useLab();
 *   test("...", async (t) => { const page = await lab.open(t); ... });
 */
export function useLab(options = {}) {
  const lab = { site: null, browser: null };
  before(async () => {
    lab.site = await serve(options.dir ?? dist, options);
    lab.browser = await launch(options);
  });
  after(async () => {
    await lab.browser?.close();
    await lab.site?.close();
  });

  /**
   * Opens a page for the test t, which fails at its end if the page reported a problem. tour: true is a
   * first visit; without, the tour is over. context opens a further page beside an earlier one. The rest
   * are the options of openPage.
   */
  lab.open = async (t, { tour = false, path = "", url = lab.site.url, context, ...rest } = {}) => {
    context ??= await lab.browser.newContext({
      viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", acceptDownloads: true, serviceWorkers: "block",
      ...rest.contextOptions,
    });
    if (!tour) await context.addInitScript(tourIsOver);
    const page = await openPage(lab.browser, url + path, { ...rest, context });
    t.after(async () => {
      await context.close();
      if (page.problems.length > 0) throw new Error(`The page reported problems:\n${page.problems.join("\n")}`);
    });
    return page;
  };
  return lab;
}

function tourIsOver() {
  try {
    localStorage["reconcile-preferences"] ??= '{"tourOver":true}';
  } catch {
    // A document without storage remembers nothing.
  }
}

/**
 * Waits until the engine has served what was asked of it before, and returns the state. Commands are
 * served in their order and drawn before they are answered: afterwards the page shows what came of them.
 */
export async function settled(page) {
  await state(page);
  return state(page);
}

/** Clicks the control with that data-testid and waits until it is done. */
export async function press(page, id) {
  await testid(page, id).click();
  return settled(page);
}

/** Presses a key and waits until what it asked for is done. */
export async function key(page, name) {
  await page.keyboard.press(name);
  return settled(page);
}

/** Opens a menu by its id (clock, export, next, finalizers, branches) and picks the entry with that text. */
export async function pick(page, menu, entry) {
  await page.locator(`#menu-${menu}`).click();
  await page.locator(".menu-list").getByRole("button", { name: entry }).first().click();
  return settled(page);
}

/** Waits until a scenario of the library that was asked for is the one in view. */
export async function opened(page, name) {
  // It is answered last, even while the engines change places.
  await state(page);
  await until(`${name} is open`, async () => (await testid(page, "scenario").inputValue()) === name);
}

/** Opens a scenario; where there is something to lose, the page asks first. */
export async function openScenario(page, name) {
  await testid(page, "scenario").selectOption(name);
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  if (await testid(page, "confirm").isVisible()) await testid(page, "confirm").click();
  await opened(page, name);
}

/** Opens a file in the editor. */
export async function openFile(page, name) {
  await page.locator(`.file[data-file="${name}"]`).click();
  await page.getByRole("textbox", { name: `Editor: ${name}` }).waitFor();
}

/** Where one types. */
export const editorOf = (page) => testid(page, "editor").locator(".cm-content");

/** The text in the editor. */
export async function editorText(page) {
  const lines = await testid(page, "editor").locator(".cm-line").allInnerTexts();
  return lines.map((line) => (line === "\n" ? "" : line)).join("\n");
}

/** Replaces the whole text in the editor, by keys. */
export async function typeOver(page, text) {
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Types the text over that of a file and applies it with Ctrl-Enter. */
export async function applyText(page, file, text) {
  await openFile(page, file);
  await typeOver(page, text);
  await page.keyboard.press("ControlOrMeta+Enter");
  return settled(page);
}

/** The object of a state by its ref; undefined where there is none. */
export function find(s, ref) {
  const [kind, namespace, name] = ref.split("/");
  return s.objects.find((o) => o.kind === kind && o.metadata.namespace === namespace && o.metadata.name === name);
}

/** The resourceVersions of all objects of a state, by ref. */
export function versions(s) {
  return Object.fromEntries(s.objects.map((o) => [
    [o.kind, o.metadata.namespace, o.metadata.name].filter(Boolean).join("/"), o.metadata.resourceVersion]));
}

/** The resourceVersions that the table shows, by key. */
export function shownVersions(page) {
  return testid(page, "object-row").evaluateAll((rows) => Object.fromEntries(rows.map((row) =>
    [row.dataset.key, row.querySelector('[data-field="resourceVersion"]').dataset.value])));
}

/** Whether a condition of an object has that status. */
export function condition(object, type) {
  return object.status?.conditions?.find((c) => c.type === type);
}

/** Clicks what starts a download and returns the file's name and text. */
export async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

/** Everything in the database, as the page's storage left it: {store: {key: value}}. */
export function stored(page) {
  return page.evaluate(async () => {
    const asked = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const db = await asked(indexedDB.open("reconcile"));
    const names = Array.from(db.objectStoreNames);
    const tx = db.transaction(names);
    const all = {};
    await Promise.all(names.map(async (name) => {
      const [keys, values] = await Promise.all([asked(tx.objectStore(name).getAllKeys()), asked(tx.objectStore(name).getAll())]);
      all[name] = Object.fromEntries(keys.map((k, i) => [k, JSON.parse(values[i])]));
    }));
    db.close();
    return all;
  });
}
