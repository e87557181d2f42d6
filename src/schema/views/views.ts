import { u64 } from "../sql/functions.ts";
import { versionsKept, versionTimes } from "../sql/ledger-time.ts";
import { sql } from "../sql/sql.ts";
import { backfillViews } from "./backfill.ts";
import { changeViews } from "./changes.ts";
import { coverageViews, historyViews } from "./coverage.ts";
import { heldViews, snapshotViews } from "./modules.ts";
import { integer, time, u64Column, type ViewData } from "./view.ts";
import { watchViews } from "./watch.ts";
import { sourceViews, workViews } from "./work.ts";

/** Every view of a movedex database; `…_latest` and `…_history` beside each `…_at`. Views come after those they are made from. */
export const viewList: readonly ViewData[] = [
  ...snapshotViews,
  ...changeViews,
  ...historyViews,
  ...heldViews,
  ...coverageViews,
  ...backfillViews,
  ...sourceViews,
  ...watchViews,
  ...workViews,
];

const version = integer("the ledger version");

/** Views that others are made from, and that nobody asks by themselves; in the order in which they can be made. */
export const internalViews: readonly ViewData[] = [
  {
    name: "_versions",
    meaning: "All ledger versions that the archive speaks of",
    columns: { ledger_version: version },
    select: versionsKept,
  },
  {
    name: "_version_times",
    meaning: "When the ledger made each of these, as far as it is known",
    columns: {
      ledger_version: version,
      ledger_time: time("when it was made; null when nothing bounds it on both sides"),
      ms: integer("the same in milliseconds since 1970, or null"),
      error_ms: integer("how far the true time may lie from it, in milliseconds; null when the time is"),
    },
    select: versionTimes,
  },
  {
    name: "_account_numbers",
    meaning: "Sequence numbers of account records",
    columns: {
      address_id: integer("the account"),
      from_version: version,
      sequence_number: u64Column("the sequence number"),
    },
    select: sql`SELECT s.address_id, s.from_version, ${u64("s.sequence_number")} AS sequence_number FROM _account_spans s`,
  },
  {
    name: "_error_numbers",
    meaning: "Codes of error maps",
    columns: { id: integer("the row of the error"), code: u64Column("the reason") },
    select: sql`SELECT e.id, ${u64("e.code")} AS code FROM _error_codes e`,
  },
];

/** What tells a row of a view of what stood from the others of its module or account; each has the account, and the module, before it. */
const ofState: Readonly<Record<string, string>> = {
  accounts: "",
  covered: "",
  modules: "module",
  module_sizes: "module",
  functions: "module name",
  function_params: "module function position",
  function_returns: "module function position",
  function_acquires: "module function position",
  type_params: "module item_kind item position",
  structs: "module name",
  // Null where the struct is no enum: equal, as keys go.
  fields: "module struct variant position",
  variants: "module struct position",
  attributes: "module item_kind item position",
  friends: "module other_address other_module",
  dependencies: "module other_address other_module",
  error_codes: "module code",
  function_calls: "module function callee_address callee_module callee_function",
  type_uses: "module item_kind item place used_address used_module used_struct",
};

const change = "address module at_or_before_version";
const others: Readonly<Record<string, string>> = {
  module_changes: change,
  judged_changes: change,
  item_renames: `${change} item_kind from_name`,
  key_rotations: "address at_or_before_version",
  snapshots: "ledger_version",
  gaps: "ledger_version address",
  bytecodes_held: "bytecode_sha256",
  functions_held: "bytecode_sha256 name",
  structs_held: "bytecode_sha256 name",
  snapshot_coverage: "ledger_version",
  coverage_history: "address valid_from_version",
  backfill: "ledger_version",
  accounts_inferred: "ledger_version address",
  modules_inferred: "ledger_version address module",
  watch_list: "watch",
  alerts: "alert",
  alert_findings: "alert position",
  run_history: "run",
  target_accounts: "address",
};

/** The columns whose values no two rows of a view share; undefined for a view without such. */
export function keyOf(view: string): readonly string[] | undefined {
  const [, name = "", form = ""] = /^(.*)_(at|latest|history)$/.exec(view) ?? [];
  const own = ofState[name];
  const snapshot = { at: "ledger_version", latest: "", history: "valid_from_version" }[form];
  const key = others[view] ?? (own === undefined ? undefined : `${snapshot} address ${own}`);
  return key?.split(" ").filter((column) => column !== "");
}
