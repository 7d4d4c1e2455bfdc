// What scripts cost in the browser: one pass over what is as desired, and the first pass after an edit.

import { test } from "node:test";
import { dist, launch, openPage, serve } from "./harness.mjs";
import { startTest, testPage } from "./gotest.mjs";

test("passes of the lab's scripts", async (t) => {
  const site = await serve(dist, { overlay: testPage("./core/script") });
  const browser = await launch({ optimised: true });
  t.after(async () => {
    await browser.close();
    await site.close();
  });
  const page = await openPage(browser, site.url, { ready: false });
  const lines = [];
  const code = await startTest(page, { args: ["-test.run=^$", "-test.bench=Script|FirstRun", "-test.benchtime=1s"], onLine: (line) => lines.push(line) });
  for (const line of lines.filter((text) => text.startsWith("Benchmark"))) t.diagnostic(line);
  if (code !== 0) throw new Error(lines.join("\n"));
});
