// The tests of web/storage, each as a test of its own here, in a worker of a real browser.

import { goTests } from "./gotest.mjs";

// The halves of the kill test are run by kill.spec.mjs.
await goTests("./web/storage", { except: ["TestKillWrite", "TestKillVerify"] });
