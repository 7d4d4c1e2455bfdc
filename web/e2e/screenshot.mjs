// Takes the picture of the README: the lab in mid-pass, 1440x900, light.
//
//   node web/e2e/screenshot.mjs [FILE]         docs/screenshot.png without

import { join } from "node:path";
import { argv } from "node:process";
import { dist, launch, openPage, root, serve, stateWhere } from "./harness.mjs";

const path = argv[2] ?? join(root, "docs/screenshot.png");
const site = await serve(dist);
const browser = await launch();
try {
  const page = await openPage(browser, site.url, { size: "desktop", colorScheme: "light", init: () => { localStorage["reconcile-preferences"] = '{"tourOver":true}'; } });
  // outside's pass has made its load balancer and its child, and is about to report them.
  do await page.locator("#step").click();
  while (!(await stateWhere(page, () => true)).pass?.diff?.some((d) => d.ref === "ConfigMap/default/outside-config"));
  await page.locator("#step").click();
  await stateWhere(page, (s) => s.pass?.action?.length > 0);
  await page.mouse.move(0, 899);
  await page.screenshot({ path });
  console.log(path);
} finally {
  await browser.close();
  await site.close();
}
