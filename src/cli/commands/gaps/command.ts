import type { ListedGap, SnapshotCounts } from "../../../archive/read/status-queries.ts";
import type { GapStates } from "../../../archive/snapshots/gaps.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { address, all, from, list, maybe, object, orNull, text, truth, version, whole, word } from "../../../base/result.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { GAP_TRIES, parseVersionCount, wholeNumber } from "../../options/options.ts";
import type { DatabaseFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { madeAt, snapshotStatus } from "../../output/result-fields.ts";

type GapsFlags = DatabaseFlags & {
  readonly ledgerVersion?: bigint;
  readonly retryGaps: number;
  readonly limit: number;
};

type GapState = "open" | "parked" | "final";

export function gapsCommand(): MovedexCommand {
  return new MovedexCommand("gaps")
    .summary("list accounts that could not be read, and why")
    .description(
      "List the accounts that a snapshot could not read: the reason, the number of tries, and whether movedex tries again. Sends no request.",
    )
    .database()
    .option("--ledger-version <n>", "only the gaps of this snapshot", parseVersionCount)
    .option("--retry-gaps <n>", "assume this value of `sync --retry-gaps`", wholeNumber(0, 1000), GAP_TRIES)
    .option("--limit <n>", "print at most n gaps", wholeNumber(0, 1e9), 1000)
    .printsJson(async () => gapsResult)
    .examples("gaps --db night.db")
    .runs(async ({ io }, flags: GapsFlags) => {
      const found = await findGaps(flags);
      await io.stdout(flags.json ? jsonLine(gapsResult.print(found)) : gapsText(found));
    });
}

type GapsFound = {
  readonly asked: readonly SnapshotCounts[];
  readonly snapshots: readonly GapStates[];
  readonly gaps: readonly (ListedGap & { readonly state: GapState })[];
};

/** Does what `gaps` does. */
async function findGaps(flags: GapsFlags): Promise<GapsFound> {
  const { openStore } = await import("../../../work/store.ts");
  const { statusQueries } = await import("../../../archive/read/status-queries.ts");
  const { gapQueries } = await import("../../../archive/snapshots/gaps.ts");
  await using store = await openStore(flags.db, { mode: "read" });
  const { ledgerVersion, limit, retryGaps: tries } = flags;
  const snapshots = await statusQueries(store.engine).listSnapshots();
  const asked = snapshots.filter((one) => ledgerVersion === undefined || one.ledgerVersion === ledgerVersion);
  if (ledgerVersion !== undefined && asked.length === 0) {
    const { noSnapshotAt } = await import("../../../questions/snapshot-choice.ts");
    throw noSnapshotAt(flags.db, ledgerVersion, snapshots.map((one) => one.ledgerVersion).reverse());
  }
  const states = (await gapQueries(store.engine).gapStates(tries, { withGivenUp: true })).filter(
    (one) => ledgerVersion === undefined || one.ledgerVersion === ledgerVersion,
  );
  const held = new Set(states.map((one) => one.ledgerVersion));
  const listed = await statusQueries(store.engine).listGaps({ limit, ...(ledgerVersion === undefined ? {} : { ledgerVersion }) });
  const givenUp = new Set(states.filter((one) => one.isGivenUp).map((one) => one.ledgerVersion));
  const gaps = listed
    .filter((gap) => held.has(gap.ledgerVersion))
    .map((gap) => ({ ...gap, state: givenUp.has(gap.ledgerVersion) ? ("final" as const) : stateOf(gap, tries) }));
  return { asked, snapshots: states, gaps };
}

function gapsText({ asked, snapshots: states, gaps }: GapsFound): string {
  const unread = asked.toReversed().flatMap(unreadText);
  if (states.length === 0) return `${[noGapsText(asked), ...unread].join("\n")}\n`;
  const byVersion = Map.groupBy(gaps, (gap) => gap.ledgerVersion);
  const lines = states.flatMap(({ ledgerVersion, isGivenUp, open, parked, final }) => [
    `ledger version ${ledgerVersion}${isGivenUp ? ", given up" : ""}: ${plural(open + parked + final, "gap")} (${open} to be tried again, ${parked} parked, ${final} final)`,
    ...(byVersion.get(ledgerVersion) ?? []).map((gap) => `  ${gapText(gap)}`),
  ]);
  return `${[...lines, ...unread].join("\n")}\n`;
}

/** An account that a snapshot has not come to is no gap, and has no answer either. */
function noGapsText(asked: readonly SnapshotCounts[]): string {
  if (asked.some(isSealed)) return "no gaps: every sealed snapshot has an answer for every account it was sealed with";
  return "no sealed snapshot, so nothing is known of gaps yet";
}

function unreadText(snapshot: SnapshotCounts): string[] {
  const { ledgerVersion, status, left, gaps } = snapshot;
  if (status === "unsealed")
    return [
      `ledger version ${ledgerVersion}: not sealed yet, ${plural(left, "account")} still to be read, ${gaps} without an answer so far`,
    ];
  return isSealed(snapshot) && left > 0
    ? [`ledger version ${ledgerVersion}: sealed, then extended, ${plural(left, "account")} still to be read`]
    : [];
}

function isSealed({ status }: SnapshotCounts): boolean {
  return status === "sealed" || status === "sealed_with_gaps";
}

function gapText(gap: GapsFound["gaps"][number]): string {
  const words = { open: "will be tried again", parked: "parked", final: "final" }[gap.state];
  return `${gap.address}: ${printable(gap.reason, 80)}, tried ${plural(gap.attempts, "time")}, ${words}: ${printable(gap.message)}`;
}

const counts = all(whole, "open", "parked", "final");
const sum = (state: GapState) => from(({ snapshots }: GapsFound) => snapshots.reduce((total, one) => total + one[state], 0), whole);

/** What `gaps --json` prints. */
const gapsResult = object({
  open: sum("open"),
  parked: sum("parked"),
  final: sum("final"),
  snapshots: list(
    object({ ledger_version: version, ...counts, given_up: from(({ isGivenUp }: GapStates) => isGivenUp || undefined, maybe(truth)) }),
  ),
  unfinished: from(
    unfinished,
    list(object({ ledger_version: version, status: snapshotStatus, accounts_left: from("left", whole), gaps: whole })),
  ),
  gaps: list(
    object({
      ledger_version: version,
      address,
      reason: text,
      error_code: orNull(text),
      http_status: orNull(whole),
      attempts: whole,
      state: word("open", "parked", "final"),
      message: text,
      ...madeAt,
    }),
  ),
});

/** As a step of the night. */
export const step = { run: (_: unknown, flags: GapsFlags) => findGaps(flags), print: gapsResult.print };

function unfinished({ asked }: GapsFound): readonly SnapshotCounts[] {
  return asked.filter((one) => unreadText(one).length > 0);
}

function stateOf({ isFinal, attempts }: ListedGap, tries: number): GapState {
  return isFinal ? "final" : attempts < tries ? "open" : "parked";
}
