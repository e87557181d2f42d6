import { Option } from "commander";
import { plural } from "../../core/base/plural.ts";
import { address, all, from, list as listOf, maybe, object, orNull, text, truth, version, whole, word } from "../../core/base/result.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { type Io, openLog } from "../../core/cli/io.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import type { DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { GAP_TRIES, parseVersionCount, wholeNumber } from "../../core/cli/options/options.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { forPrograms, list, printList } from "../../core/cli/output/list.ts";
import { madeAt, snapshotStatus } from "../../core/cli/output/result-fields.ts";
import { waitWhenBusy } from "../../core/crawl/run/run-work.ts";
import type { GapStates } from "../../core/db/archive/snapshots/gaps.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";

export const gaps: Capability = {
  name: "gaps",
  needs: ["changes", "horizon"],
  commands: { "Look after the archive:": { gaps: async () => gapsCommand } },
  nightParts: async () => [nightPart],
};

type GapsFlags = DatabaseFlags & {
  readonly at?: bigint;
  readonly ledgerVersion?: bigint;
  readonly retryGaps: number;
  readonly limit: number;
};

type GapState = "open" | "parked" | "final";

function gapsCommand(): MovedexCommand {
  return new MovedexCommand("gaps")
    .summary("list accounts that could not be read, and why")
    .description("List the accounts that a snapshot could not read, why, and whether movedex tries again. Sends no request.")
    .database()
    .option("--at <n>", "only the gaps of the snapshot at this ledger version", parseVersionCount)
    .addOption(new Option("--ledger-version <n>", "its name in version 0.1.0").argParser(parseVersionCount).hideHelp())
    .option("--retry-gaps <n>", "assume this value of `sync --retry-gaps`", wholeNumber(0, 1000), GAP_TRIES)
    .option("--limit <n>", "print at most n gaps", wholeNumber(0, 1e9), 1000)
    .printsJson(async () => gapsResult)
    .examples("gaps --db night.db")
    .runs(async ({ io }, flags: GapsFlags) => {
      const found = await findGaps(flags);
      await (flags.json ? io.stdout(jsonLine(gapsResult.print(found))) : printGaps(io, found));
    });
}

type GapsFound = Awaited<ReturnType<typeof findGaps>>;

async function findGaps(flags: GapsFlags, whenBusy?: WhenBusy) {
  const { openStore } = await import("../../core/work/store.ts");
  const { sealedAmong, statusQueries, unfinishedAmong } = await import("../../core/db/archive/read/status-queries.ts");
  const { gapQueries } = await import("../../core/db/archive/snapshots/gaps.ts");
  await using store = await openStore(flags.db, { mode: "read", whenBusy });
  const { at: ledgerVersion = flags.ledgerVersion, limit, retryGaps: tries } = flags;
  const snapshots = await statusQueries(store.engine).listSnapshots();
  const isAsked = (one: { readonly ledgerVersion: bigint }) => ledgerVersion === undefined || one.ledgerVersion === ledgerVersion;
  const asked = snapshots.filter(isAsked);
  if (ledgerVersion !== undefined && asked.length === 0) {
    const { noSnapshotAt } = await import("../../core/questions/snapshot-choice.ts");
    throw noSnapshotAt(flags.db, ledgerVersion, snapshots.map((one) => one.ledgerVersion).reverse());
  }
  const states = (await gapQueries(store.engine).gapStates(tries)).filter(isAsked);
  const listed = await statusQueries(store.engine).listGaps({ limit, ...(ledgerVersion === undefined ? {} : { ledgerVersion }) });
  const gaps = listed.flatMap((gap) => {
    const snapshot = states.find((one) => one.ledgerVersion === gap.ledgerVersion);
    const state: GapState = gap.isFinal ? "final" : gap.attempts < tries && !snapshot?.isGivenUp ? "open" : "parked";
    return snapshot === undefined ? [] : [{ ...gap, state }];
  });
  return { unfinished: unfinishedAmong(asked), hasSealed: sealedAmong(asked).length > 0, snapshots: states, gaps };
}

async function printGaps(io: Io, { unfinished, hasSealed, snapshots, gaps }: GapsFound): Promise<void> {
  const lines = snapshots.map(({ ledgerVersion, isGivenUp, open, parked, final }) => {
    const count = plural(open + parked + final, "gap");
    return `ledger version ${ledgerVersion}${isGivenUp ? ", given up" : ""}: ${count} (${open} to be tried again, ${parked} parked, ${final} final)`;
  });
  if (snapshots.length === 0)
    lines.push(
      hasSealed
        ? "no gaps: every sealed snapshot has an answer for every account it was sealed with"
        : "no sealed snapshot, so nothing is known of gaps yet",
    );
  await io.stdout(`${lines.join("\n")}\n`);
  await printList(io, gapList, gaps, { width: Number.POSITIVE_INFINITY });
  // An account that a snapshot has not come to is no gap, and has no answer either.
  for (const { ledgerVersion, status, left, gaps: unanswered } of unfinished.toReversed()) {
    const read = `${plural(left, "account")} still to be read`;
    const state =
      status === "unsealed" ? `not sealed yet, ${read}, ${unanswered} without an answer so far` : `sealed, then extended, ${read}`;
    await io.stdout(`ledger version ${ledgerVersion}: ${state}\n`);
  }
}

const gapList = list({
  columns: {
    ledger_version: version,
    address,
    reason: text,
    error_code: forPrograms(orNull(text)),
    http_status: forPrograms(orNull(whole)),
    attempts: whole,
    state: word("open", "parked", "final"),
    message: text,
    ledger_time: forPrograms(madeAt.ledger_time),
    ledger_time_error_ms: forPrograms(madeAt.ledger_time_error_ms),
  },
});

const sum = (state: GapState) => from(({ snapshots }: GapsFound) => snapshots.reduce((total, one) => total + one[state], 0), whole);

const gapsResult = object({
  open: sum("open"),
  parked: sum("parked"),
  final: sum("final"),
  snapshots: listOf(
    object({
      ledger_version: version,
      ...all(whole, "open", "parked", "final"),
      given_up: from(({ isGivenUp }: GapStates) => isGivenUp || undefined, maybe(truth)),
    }),
  ),
  unfinished: listOf(object({ ledger_version: version, status: snapshotStatus, accounts_left: from("left", whole), gaps: whole })),
  gaps: listOf(gapList.entry),
});

/** Counts the gaps that the night left. */
const nightPart: NightPart<object, GapsFlags> = {
  name: "gaps",
  turn: ({ shared: { database } }) => ({ flags: { limit: 0, ...database } }),
  load: async () => ({
    run: (io: Io, flags: GapsFlags) => findGaps(flags, waitWhenBusy(io.clock, openLog(io), io)),
    print: gapsResult.print,
  }),
};
