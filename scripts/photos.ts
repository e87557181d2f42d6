import { planFaults, storageFailure } from "../sim/faults/index.ts";
import { liveHistory, startSimNode } from "../sim/index.ts";
import { processIo } from "../src/core/cli/io.ts";
import { exitCodes } from "../src/core/exit-codes.ts";
import { main } from "../src/main.ts";
import { servePages } from "../test/capabilities/explorer/support/served-pages.ts";
import { openChromium } from "../test/capabilities/serve/support/browser.ts";
import { ManualClock } from "../test/support/manual-clock.ts";
import { frameworkHistory } from "../test/support/shared-data.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

// MOVEDEX_TEST_RUN=long npx node scripts/photos.ts takes the pictures of docs/explorer anew, from twenty nights of the recorded releases,
// which have to be beside the repository, in a Chromium.
if (frameworkHistory === undefined) throw new Error("the recorded releases are not beside the repository");
const NIGHTS = 20;
const VERSIONS_PER_DAY = 864_000n;
/** Releases that stood before the first night. */
const BEFORE = 86;
/** An account that gives no answer in some nights. */
const SILENT = "0x51e47";

using place = temporaryDirectory();
const db = place.file("archive.db");
const live = liveHistory({
  directory: frameworkHistory,
  versionsPerRelease: VERSIONS_PER_DAY,
  ledger: { usecPerVersion: 100_000n, window: VERSIONS_PER_DAY * 7n, chainId: 34 },
});
for (let i = 0; i < BEFORE; i++) live.next();
live.ledger.transact((writer) => writer.account(SILENT, { sequenceNumber: 1n }));
let isSilent = false;
const timeMs = (): number => Number(live.ledger.info().timestampUsec / 1000n);
const faults = planFaults([{ fault: storageFailure("listing"), match: ({ target }) => isSilent && target.includes(SILENT.slice(2)) }]);
await using node = await startSimNode({ ledger: live.ledger, faults, log: false, now: timeMs });
const accounts = ["0x1", "0x3", "0x4", "0x5", "0x7", SILENT].flatMap((address) => ["--account", address]);
const pins: bigint[] = [];
for (let night = 0; night < NIGHTS; night++) {
  live.next();
  live.ledger.advance(VERSIONS_PER_DAY / 8n);
  isSilent = night % 7 === 3 || night >= NIGHTS - 2;
  const clock = new ManualClock({ startMs: timeMs() + 1000, skipSleeps: true });
  const code = await main(["sync", "--rpc", node.url, "--db", db, "--rate", "0", ...accounts], { ...processIo(), env: {}, clock });
  if (code > exitCodes.gaps.code) throw new Error(`the night ended with exit code ${code}`);
  pins.push(live.ledger.head);
}

/** The page of each picture, its colours, its width, and the height at which it is cut. */
const pictures = {
  overview: ["/", "light", 1160, 1060],
  module: ["/module/0x1/coin", "light", 1160, 1000],
  item: ["/module/0x1/coin/withdraw", "light", 1160, 1000],
  diff: [`/diff/0x1/coin?from=${pins.at(-2)}&to=${pins.at(-1)}&code=1`, "light", 1440, 1000],
  coverage: ["/coverage", "light", 1160, 740],
  changes: ["/changes", "dark", 1160, 900],
} as const;
await using served = await servePages(db, { clock: new ManualClock({ startMs: timeMs() + 3_600_000 }) });
await using chromium = await openChromium();
const page = await chromium.browser.newPage();
for (const [name, [path, colorScheme, width, most]] of Object.entries(pictures)) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(`${served.origin}${path}`, { waitUntil: "networkidle" });
  const height = Math.min((await page.evaluate("document.documentElement.scrollHeight")) as number, most);
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: `docs/explorer/${name}.png` });
}
