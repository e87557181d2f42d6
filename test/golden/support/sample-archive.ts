import { join } from "node:path";
import { createSampleLedger, faults, type SimNode, startSimNode } from "../../../sim/index.ts";
import { exchangeAddress } from "../../../sim/sample/exchange.ts";
import { copyKeptArchive, ended, ManualClock, runCli } from "../../support/index.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Ten versions a second. */
const VERSIONS_PER_DAY = 864_000n;
/** When the first night begins: the sample ledger is three days old then, and began in 2026. */
const FIRST_NIGHT_MS = Date.UTC(2026, 0, 4);

/** The moment of all questions to the archive: an hour after the last night. */
export const NOW_MS = FIRST_NIGHT_MS + 6 * DAY_MS + HOUR_MS;

/** The node's name in the archive, in place of its address, whose port is another each time. */
const NODE = "https://node.example/v1";

/** An address that holds nothing. */
const emptyAddress = "0xdead";

/**
 * The archive of the golden tests, as `night.db` in `directory`. Its clock, its waits and its node are fixed, so that its answers are the
 * same bytes in every run.
 */
export async function copySampleArchive(directory: string): Promise<void> {
  await copyKeptArchive(join(directory, "night.db"), takeNights);
}

/**
 * A week: a first night; one after a day of upgrades, in which an object's account does not answer, and a trace of what the exchange
 * changed; a quiet one, after the trader left the list, then a backfill and a snapshot that budgets end early. Then two days of silence,
 * after which a night and a backfill find that the node has pruned what was left. The last snapshot is not finished.
 */
async function takeNights(db: string): Promise<void> {
  const sample = createSampleLedger();
  const { ledger } = sample;
  const [, badges = "", , vesting = ""] = sample.codeAccounts;
  let clock = new ManualClock({ skipSleeps: true, startMs: FIRST_NIGHT_MS });
  const run = (argv: readonly string[], code = 0) => ended(runCli([...argv, "--db", db], { clock }), code);
  const ask = (node: SimNode, command: string, args: readonly string[] = [], code = 0) =>
    // One request at a time and at a pace, so that a run takes time, and the same time always.
    run([command, "--rpc", node.url, "--node-name", NODE, "--rate", "0.2", "--concurrency", "1", ...args], code);
  /** The ledger and the clock are at so many days after the first night, and ten seconds for the clock. */
  const dayComes = (day: number): void => {
    const head = BigInt(3 + day) * VERSIONS_PER_DAY;
    if (ledger.head < head) ledger.advanceTo(head);
    clock = new ManualClock({ skipSleeps: true, startMs: FIRST_NIGHT_MS + day * DAY_MS + 10_000 });
  };
  const start = (planned: Parameters<typeof faults.planFaults>[0] = []): Promise<SimNode> =>
    startSimNode({ ledger, now: () => clock.now(), faults: faults.planFaults(planned) });

  dayComes(0);
  await run(["targets", "add", "0x1", "--label", "framework"]);
  await run(["targets", "add", exchangeAddress, badges, vesting, sample.trader, emptyAddress]);
  await run(["watch", "add", exchangeAddress, "--level", "dangerous"]);
  {
    await using node = await start();
    await ask(node, "sync");
  }
  sample.passDay();
  dayComes(1);
  {
    await using node = await start([
      { fault: faults.storageFailure("deserializing"), match: ({ target }) => target.includes(`/accounts/${vesting}/modules`) },
    ]);
    await ask(node, "sync", [], 2);
    await ask(node, "trace", [exchangeAddress]);
  }
  dayComes(2);
  await run(["targets", "remove", sample.trader]);
  {
    await using node = await start();
    await ask(node, "sync", ["--retry-gaps", "0"]);
    const [oldest, newest] = [ledger.oldest + 500n, ledger.oldest + VERSIONS_PER_DAY];
    await ask(node, "backfill", ["--every", "6h", "--from", `${oldest}`, "--to", `${newest}`, "--max-requests", "15"]);
    await ask(node, "sync", ["--ledger-version", `${ledger.head - 1_000n}`, "--max-requests", "8", "--retry-gaps", "0"]);
  }
  dayComes(5);
  {
    await using node = await start();
    await ask(node, "sync", [], 3);
    await ask(node, "backfill", ["--every", "1d", "--from", `-${(3n * VERSIONS_PER_DAY) / 2n}`]);
  }
  dayComes(6);
  {
    await using node = await start();
    await ask(node, "sync", ["--ledger-version", `${ledger.head}`, "--max-requests", "8"]);
  }
}
