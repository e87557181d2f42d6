import { writeWhole } from "../base/durable-file.ts";
import { printable } from "../base/printable.ts";
import { ConfigError } from "../errors.ts";
import type { KeyRotation, ModuleChange, NewAccount, Stretch } from "../store/changes.ts";
import type { SnapshotCounts } from "../store/overview.ts";
import { openStore, type Store } from "../store/store.ts";
import type { Io } from "./io.ts";
import type { ReportFlags } from "./report.ts";
import { reportJson, reportMarkdown } from "./report-text.ts";

/** So many of a list as were wanted, and how many there are. */
export type Listed<T> = { readonly rows: readonly T[]; readonly total: number };

/** What changed in a stretch of snapshots. */
export type Report = Stretch & {
  readonly chainId: number | null;
  /** The sealed snapshots of the stretch, newest first. */
  readonly snapshots: readonly SnapshotCounts[];
  readonly newAccounts: Listed<NewAccount>;
  readonly firstReadAccounts: Listed<NewAccount>;
  readonly added: Listed<ModuleChange>;
  readonly abiChanged: Listed<ModuleChange>;
  readonly bytesChanged: Listed<ModuleChange>;
  /** Changed, and one of the two ABIs cannot be told. */
  readonly unclear: Listed<ModuleChange>;
  readonly removed: Listed<ModuleChange>;
  readonly keyRotations: Listed<KeyRotation>;
};

/** Runs `report`. @throws StoreError, ConfigError when the file cannot be written */
export async function runReport(io: Io, path: string, flags: ReportFlags): Promise<void> {
  const report = readReport(path, flags, io.clock.now());
  const text = flags.json ? `${JSON.stringify(reportJson(report))}\n` : reportMarkdown(report);
  if (flags.out === undefined) await io.stdout(text);
  else writeReport(flags.out, text);
}

function readReport(path: string, flags: ReportFlags, nowMs: number): Report {
  const store = openStore(path, { mode: "read", now: () => nowMs });
  try {
    const sealed = store.listSnapshots().filter(({ status }) => status === "sealed" || status === "sealed_with_gaps");
    // Before the first version of all there is nothing, so everything counts.
    const stretch = { after: flags.since ?? sealed[1]?.ledgerVersion ?? -1n, upTo: sealed[0]?.ledgerVersion ?? -1n };
    return {
      ...stretch,
      chainId: store.chainId(),
      snapshots: sealed.filter(({ ledgerVersion }) => ledgerVersion > stretch.after),
      ...sortChanges(store, stretch, flags.limit),
    };
  } finally {
    store.close();
  }
}

function sortChanges(store: Store, stretch: Stretch, limit: number) {
  const isNew = (account: NewAccount): "firstReadAccounts" | "newAccounts" => (account.isFirstRead ? "firstReadAccounts" : "newAccounts");
  return {
    ...sorted(store.newAccounts(stretch), ["newAccounts", "firstReadAccounts"], isNew, limit),
    ...sorted(store.moduleChanges(stretch), ["added", "abiChanged", "bytesChanged", "unclear", "removed"], kindOfChange, limit),
    ...sorted(store.keyRotations(stretch), ["keyRotations"], () => "keyRotations", limit),
  };
}

function kindOfChange({ from, to, abiChanged }: ModuleChange): "added" | "abiChanged" | "bytesChanged" | "unclear" | "removed" {
  if (from === null) return "added";
  if (to === null) return "removed";
  return abiChanged === null ? "unclear" : abiChanged ? "abiChanged" : "bytesChanged";
}

/** Rows sorted into lists, each cut at a limit and counted whole. */
function sorted<T, Kind extends string>(
  rows: Iterable<T>,
  kinds: readonly Kind[],
  kindOf: (row: T) => Kind,
  limit: number,
): Record<Kind, Listed<T>> {
  const lists = Object.fromEntries(kinds.map((kind) => [kind, { rows: [] as T[], total: 0 }])) as Record<
    Kind,
    { rows: T[]; total: number }
  >;
  for (const row of rows) {
    const list = lists[kindOf(row)];
    if (list.total < limit) list.rows.push(row);
    list.total += 1;
  }
  return lists;
}

function writeReport(path: string, text: string): void {
  try {
    writeWhole(path, text);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`could not write the report \`${printable(path)}\`: ${reason}. Check the path, its permissions and the disk.`, {
      facts: { path, reason },
      cause: error,
    });
  }
}
