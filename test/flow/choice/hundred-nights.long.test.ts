import { expect } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";

const NIGHTS = 100;
const A_DAY = 1000n;
const DAY_MS = 86_400_000;
const MAX_AGE_DAYS = 20;
const ACCOUNTS = Array.from({ length: 80 }, (_, n) => `0x${(0xb000 + 7 * n).toString(16)}`);
/** The index, what is asked to know the chain again, and a reading of one in ten. */
const BUDGET = 3 + ACCOUNTS.length / 10 + 1;

/**
 * Changes a night: four are always busy, four from the fiftieth night on, four on one weekday, four in the first twenty nights, the others
 * seldom.
 */
function rateOf(account: number, night: number): number {
  if (account < 4) return 0.8;
  if (account < 8) return night >= 50 ? 0.8 : 0;
  if (account < 12) return night % 7 === account % 7 ? 0.9 : 0;
  if (account < 16) return night < 20 ? 0.8 : 0;
  return 0.005;
}

test("a hundred nights at a tenth of the requests keep the greatest age, and what changes most is read most", {
  timeout: 1_800_000,
}, async ({ place }) => {
  const db = place.file("a.db");
  const ledger = new SimLedger({ usecPerVersion: (BigInt(DAY_MS) * 1000n) / A_DAY });
  await using node = await startSimNode({ ledger });
  const random = seededRandom(28);
  const publish = (address: string, number: number): void => {
    const functions = [{ name: `f${number}`, visibility: "public" as const }];
    ledger.transact((writer) => {
      if (number === 0) writer.account(address);
      writer.publish(address, "only", writeModule({ address, name: "only", functions }));
    });
  };
  for (const address of ACCOUNTS) publish(address, 0);
  await ended(runCli(["targets", "add", ...ACCOUNTS, "--db", db]));
  const readings = new Map<string, number>(ACCOUNTS.map((address) => [address, 0]));
  for (let night = 0; night < NIGHTS; night++) {
    ledger.advanceTo(BigInt(night + 1) * A_DAY - 200n);
    for (const [n, address] of ACCOUNTS.entries()) if (night > 0 && random() < rateOf(n, night)) publish(address, night);
    ledger.advanceTo(BigInt(night + 1) * A_DAY);
    const clock = new ManualClock({ skipSleeps: true, startMs: Number(ledger.info().timestampUsec / 1000n) });
    const limit = night === 0 ? [] : ["--max-requests", `${BUDGET}`, "--max-age", `${MAX_AGE_DAYS}d`];
    const seen = node.requests.length;
    const sync = ["sync", "--rpc", node.url, "--rate", "0", "--db", db, "--json", "--records", "never", ...limit];
    const { json } = await ended(runCli(sync, { clock }));
    const asked = node.requests.slice(seen).filter(({ query }) => query.includes(`ledger_version=${ledger.head}`));
    const read = new Set(asked.flatMap(({ path }) => /\/accounts\/(0x\w+)\/modules$/.exec(path)?.[1] ?? []));
    if (night > 0) expect(json()["oldest_reading_ms"]).toBeLessThanOrEqual(MAX_AGE_DAYS * DAY_MS);
    for (const address of read) readings.set(address, (readings.get(address) as number) + 1);
  }
  const mean = (from: number, to: number): number =>
    ACCOUNTS.slice(from, to).reduce((sum, address) => sum + (readings.get(address) as number), 0) / (to - from);
  const [busy, woken, weekly, asleep, rare] = [mean(0, 4), mean(4, 8), mean(8, 12), mean(12, 16), mean(16, 80)];
  expect(busy).toBeGreaterThan(6 * rare);
  expect(woken).toBeGreaterThan(3 * rare);
  expect(weekly).toBeGreaterThan(1.5 * rare);
  expect(asleep).toBeLessThan(busy / 2);
});
