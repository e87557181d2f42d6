import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { runMovedex } from "./run-movedex.ts";

/** What the picture of the README shows: nights against a simulated node, and what node and archive answer at the end. */
export type TimelineNights = {
  /** A night's pin, and the oldest version that the node could read then. */
  readonly nights: readonly { readonly pin: number; readonly oldest: number }[];
  /** Versions at which modules changed. */
  readonly changes: readonly number[];
  readonly asked: { readonly version: number; readonly nodeStatus: number; readonly nodeError: string; readonly archive: string };
};

const NIGHTS = 6;
const VERSIONS_PER_DAY = 864_000n;

/** Runs `movedex sync` once a day against the sample ledger, whose node keeps two days, then asks both for the first night's version. */
export async function liveThroughNights(): Promise<TimelineNights> {
  using place = temporaryDirectory();
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const db = ["--db", place.file("nights.db")];
  const sync = ["sync", "--rpc", node.url, "--rate", "0", ...db];
  await runMovedex(["targets", "add", ...sample.codeAccounts, sample.trader, ...db]);
  await runMovedex(sync);
  const { badgeUpgraded, poolUpgraded, ordersPublished } = sample.passDay();
  for (let night = 1; night < NIGHTS; night += 1) {
    await runMovedex(sync);
    if (night < NIGHTS - 1) sample.ledger.advance(VERSIONS_PER_DAY);
  }
  const columns = "SELECT ledger_version AS pin, oldest_version AS oldest FROM snapshots ORDER BY 1";
  const nights = JSON.parse(await runMovedex(["query", columns, "--format", "json", ...db])) as TimelineNights["nights"];
  const version = nights[0]?.pin as number;
  const answer = await fetch(`${node.url}/accounts/${sample.codeAccounts[2]}/module/pool?ledger_version=${version}`);
  const { error_code: nodeError } = (await answer.json()) as { error_code: string };
  const archive = (await runMovedex(["show", `pool::spot_price@${version}`, ...db])).trim().split("\n").at(-1) as string;
  return {
    nights,
    changes: [badgeUpgraded, poolUpgraded, ordersPublished].map(Number),
    asked: { version, nodeStatus: answer.status, nodeError, archive },
  };
}
