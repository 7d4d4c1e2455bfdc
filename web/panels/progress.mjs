// How far a person has come with the lessons: {"lab-1": {passed, held, checks, hints, solution, script}}. It is kept
// by the engine as it is, beside the cluster, and can be taken to another browser as a file.

const format = "reconcile.progress/v1";

/** The further one of two. */
function better(a = {}, b = {}) {
  const first = (b.held ?? 0) > (a.held ?? 0) || (b.passed && !a.passed) || !a.script ? b : a;
  return {
    passed: Boolean(a.passed || b.passed), held: first.held ?? 0, checks: first.checks ?? 0, hints: Math.max(a.hints ?? 0, b.hints ?? 0),
    solution: Boolean(a.solution || b.solution), script: first.script ?? "",
  };
}

/** Whether a check holds, and had an occasion not to. */
export const shown = (check) => check.passed && !check.noOccasion;

/** What is known with something changed of a lesson. */
export const changed = (progress, lesson, change) => ({ ...progress, [lesson]: { ...progress[lesson], ...change } });

/** What is known after the grade in data; undefined where it knew it. */
export function remember({ grade, progress, scenario, ran }) {
  const lesson = grade?.scenario?.name;
  if (!lesson || !grade.checks) return undefined;
  const before = progress[lesson] ?? {};
  const held = grade.checks.filter(shown).length;
  const best = grade.passed || held >= (before.held ?? 0) ? { held, checks: grade.checks.length } : {};
  const script = lesson === scenario.name && ran ? { script: ran } : {};
  const now = { ...before, ...best, ...script, passed: Boolean(before.passed || grade.passed) };
  return JSON.stringify(now) === JSON.stringify(before) ? undefined : { ...progress, [lesson]: now };
}

/** The text of a file with all of it. */
export const exported = (progress) => JSON.stringify({ format, lessons: progress }, null, 1);

/** What is known, as JSON, with a file added: of each lesson the further one stays. */
export function merge(text, known) {
  const file = JSON.parse(text);
  if (file.format !== format || typeof file.lessons !== "object") throw new Error(`The file's format is ${file.format}; this version reads ${format}.`);
  const all = known ? JSON.parse(known) : {};
  for (const [lesson, progress] of Object.entries(file.lessons)) all[lesson] = better(all[lesson], progress);
  return JSON.stringify(all);
}
