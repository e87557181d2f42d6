import { expect } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { type ChosenReads, chooseReads, type KnownTargets, timesFrom } from "../../../src/crawl/cadence/choose-reads.ts";
import { requestsLeft } from "../../../src/crawl/cadence/run-budget.ts";
import { LedgerTime } from "../../../src/crawl/horizon/ledger-time.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { TargetHistory } from "../../../src/work/targets/target-histories.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { valuesOf } from "../../support/store/ask-file.ts";
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

test("a hundred nights at a tenth of the requests read exactly what the model says, and what changes most is read most", {
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
  const histories = new Map<string, { -readonly [K in keyof TargetHistory]: TargetHistory[K] }>();
  const changedAt = new Map<string, number>();
  const readAt = new Map<string, number>();
  const readings = new Map<string, number>(ACCOUNTS.map((address) => [address, 0]));
  const marks: { version: bigint; timestampUsec: bigint }[] = [];
  const sealed: bigint[] = [];
  let order: string[] = [];
  for (let night = 0; night < NIGHTS; night++) {
    ledger.advanceTo(BigInt(night + 1) * A_DAY - 200n);
    for (const [n, address] of ACCOUNTS.entries())
      if (night > 0 && random() < rateOf(n, night)) {
        publish(address, night);
        changedAt.set(address, night);
      }
    ledger.advanceTo(BigInt(night + 1) * A_DAY);
    const head = { ledgerVersion: ledger.head, timestampUsec: ledger.info().timestampUsec };
    marks.push({ version: head.ledgerVersion, timestampUsec: head.timestampUsec });
    const expected = night === 0 ? new Set(ACCOUNTS) : await predicted(head);
    const clock = new ManualClock({ skipSleeps: true, startMs: Number(head.timestampUsec / 1000n) });
    const limit = night === 0 ? [] : ["--max-requests", `${BUDGET}`, "--max-age", `${MAX_AGE_DAYS}d`];
    const seen = node.requests.length;
    const sync = ["sync", "--rpc", node.url, "--rate", "0", "--db", db, "--json", "--records", "never", ...limit];
    const { json } = await ended(runCli(sync, { clock }));
    const asked = node.requests.slice(seen).filter(({ query }) => query.includes(`ledger_version=${head.ledgerVersion}`));
    const read = new Set(asked.flatMap(({ path }) => /\/accounts\/(0x\w+)\/modules$/.exec(path)?.[1] ?? []));
    expect([...read].sort(), `night ${night}`).toEqual([...expected].sort());
    if (night > 0) expect(json()["oldest_reading_ms"]).toBeLessThanOrEqual(MAX_AGE_DAYS * DAY_MS);
    for (const address of read) note(address, night, head.ledgerVersion);
    sealed.push(head.ledgerVersion);
    if (night > 0) continue;
    order = valuesOf(db, "SELECT a.address FROM _targets t JOIN _addresses a ON a.id = t.address_id ORDER BY t.address_id");
  }
  const mean = (from: number, to: number): number =>
    ACCOUNTS.slice(from, to).reduce((sum, address) => sum + (readings.get(address) as number), 0) / (to - from);
  const [busy, woken, weekly, asleep, rare] = [mean(0, 4), mean(4, 8), mean(8, 12), mean(12, 16), mean(16, 80)];
  expect(busy).toBeGreaterThan(6 * rare);
  expect(woken).toBeGreaterThan(3 * rare);
  expect(weekly).toBeGreaterThan(1.5 * rare);
  expect(asleep).toBeLessThan(busy / 2);

  /** Takes down a reading as the database will have it. */
  function note(address: string, night: number, version: bigint): void {
    readings.set(address, (readings.get(address) as number) + 1);
    const before = histories.get(address);
    const isChanged = (changedAt.get(address) ?? -1) > (readAt.get(address) ?? night);
    const newest = before?.covered?.newest;
    histories.set(address, {
      account: 0,
      covered: { first: before?.covered?.first ?? version, newest: version },
      recordNewest: undefined,
      modules: 1,
      hadModules: true,
      codeChanges: [...(before?.codeChanges ?? []), ...(isChanged && newest !== undefined ? [{ after: newest, atOrBefore: version }] : [])],
      keyRotations: [],
    });
    readAt.set(address, night);
  }

  /** What the model chooses from the readings so far. */
  async function predicted(head: { ledgerVersion: bigint; timestampUsec: bigint }): Promise<Set<string>> {
    const known: KnownTargets = {
      count: order.length,
      sealed,
      timeOf: timesFrom(LedgerTime.from(marks), head),
      histories: {
        addressesOf: async (rows) => rows.map((row) => parseAddress(order[Number(row)] as string) as Address),
        targetHistories: async function* () {
          yield order.map((address, account) => ({ ...(histories.get(address) as TargetHistory), account }));
        },
      },
    };
    const budget = { maxRequests: BUDGET, maxDurationMs: undefined, perSecond: 0 };
    const requests = requestsLeft(budget, { requests: QUESTIONS, elapsedMs: 0 });
    const ask = {
      head,
      ledgerVersion: head.ledgerVersion,
      records: "none",
      requests,
      maxAgeMs: MAX_AGE_DAYS * DAY_MS,
      pageSize: undefined,
    } as const;
    const chosen = (await chooseReads(known, ask)) as ChosenReads;
    return new Set(chosen.accounts.map(String));
  }
});

/** What a run asks before it chooses. */
const QUESTIONS = 3;
