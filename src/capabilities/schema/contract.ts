import type { Reference } from "../../core/db/schema/table.ts";
import { isNullable } from "../../core/db/schema/view.ts";
import { viewList } from "../../core/db/schema/views/views.ts";
import { present } from "../../core/errors.ts";

/** What holds of every row of a view, whatever a database has. */
export type Contract = {
  /** The columns whose values no two rows share, nulls being equal. */
  readonly key: readonly string[];
  readonly notNull: readonly string[];
  /** Columns that hold the key of another view, in its order, unless one of them is null. */
  readonly references: readonly Reference[];
};

/** What stood: what tells a row from the others of its account, and the view of whose rows it says more. */
const states: Readonly<Record<string, readonly [key: string, of?: string]>> = {
  covered: [""],
  accounts: ["", "covered"],
  modules: ["module", "covered"],
  module_sizes: ["module", "modules"],
  modules_abi: ["module", "modules"],
  functions: ["module function", "modules"],
  function_params: ["module function position", "functions"],
  function_returns: ["module function position", "functions"],
  function_acquires: ["module function position", "functions"],
  type_params: ["module item_kind item position", "modules"],
  structs: ["module struct", "modules"],
  fields: ["module struct variant position", "structs"],
  variants: ["module struct position", "structs"],
  attributes: ["module item_kind item position", "modules"],
  friends: ["module other_address other_module", "modules"],
  dependencies: ["module other_address other_module", "modules"],
  error_codes: ["module code", "modules"],
  function_calls: ["module function callee_address callee_module callee_function", "functions"],
  type_uses: ["module item_kind item place used_address used_module used_struct", "modules"],
};

const change = "address module at_or_before_version";
const keys: Readonly<Record<string, string>> = {
  type_counts_latest: "type",
  struct_counts_latest: "used_address used_module used_struct",
  call_counts_latest: "callee_address callee_module callee_function",
  module_changes: change,
  judged_changes: change,
  changes: `${change} position`,
  item_renames: `${change} item_kind from_name`,
  key_rotations: "address at_or_before_version",
  snapshots: "ledger_version",
  gaps: "ledger_version address",
  bytecodes_held: "bytecode_sha256",
  bytes_held: "bytecode_sha256",
  functions_held: "bytecode_sha256 function",
  structs_held: "bytecode_sha256 struct",
  snapshot_coverage: "ledger_version",
  coverage_history: "address valid_from_version",
  backfill: "ledger_version",
  accounts_inferred: "ledger_version address",
  modules_inferred: "ledger_version address module",
  snapshot_sources: "ledger_version source",
  horizon_samples: "sample",
  findings: "kind subject ledger_version stored found",
  node_builds: "node git_hash build",
  watch_list: "watch",
  alerts: "alert",
  alert_findings: "alert position",
  run_history: "run",
  target_accounts: "address",
};

/** Views whose ledger versions need not be those of sealed snapshots. */
const ofAnyVersion = ["gaps", "backfill", "accounts_inferred", "modules_inferred", "findings", "run_history"];

/** By the columns that hold it, the view with the key. A view that has them all, and more, refers to it. */
const holders: readonly (readonly [columns: string, view: string, but?: readonly string[]])[] = [
  ["ledger_version", "snapshots", ofAnyVersion],
  ["valid_from_version", "snapshots"],
  ["valid_to_version", "snapshots"],
  ["bytecode_sha256", "bytecodes_held"],
  ["from_sha256", "bytecodes_held", ["alerts"]],
  ["to_sha256", "bytecodes_held", ["alerts"]],
  ["base_sha256", "bytes_held"],
  [change, "module_changes", ["alerts"]],
  ["watch", "watch_list"],
  ["alert", "alerts"],
];

/** What no column says by its name alone. */
const others: Readonly<Record<string, readonly [columns: string, view: string]>> = {
  accounts_inferred: ["ledger_version", "backfill"],
  modules_inferred: ["ledger_version address", "accounts_inferred"],
};

const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
const versionOf: Readonly<Record<string, string>> = { at: "ledger_version", latest: "", history: "valid_from_version" };

function keyOf(view: string): readonly string[] {
  const [, name = "", form = ""] = /^(.*)_(at|latest|history)$/.exec(view) ?? [];
  return words(keys[view] ?? `${versionOf[form]} address ${present(states[name], `no key of ${view}`)[0]}`);
}

/** The view that a row adds to. A stretch of a function is no stretch of its module: histories add to none. */
function ofOne(view: string): readonly Reference[] {
  const [, name = "", form = ""] = /^(.*)_(at|latest)$/.exec(view) ?? [];
  const of = states[name]?.[1];
  const [columns, parent] = others[view] ?? [];
  if (columns !== undefined && parent !== undefined) return [{ columns: words(columns), parent }];
  return of === undefined ? [] : [{ columns: keyOf(`${of}_${form}`), parent: `${of}_${form}` }];
}

const contracts: ReadonlyMap<string, Contract> = new Map(
  viewList.map(({ name, columns }) => [
    name,
    {
      key: keyOf(name),
      notNull: Object.keys(columns).filter((column) => !isNullable(columns[column] as { readonly meaning: string })),
      references: [
        ...ofOne(name),
        ...holders
          .filter(([held, view, but = []]) => view !== name && !but.includes(name) && words(held).every((column) => column in columns))
          .map(([held, parent]) => ({ columns: words(held), parent })),
      ],
    },
  ]),
);

/** The contract of a public view; undefined for any other relation. */
export function contractOf(view: string): Contract | undefined {
  return contracts.get(view);
}

/** What it says in words, a sentence each: the key, and what other views have rows for. */
export function contractSentences(view: string, code = ""): readonly string[] {
  const { key, references } = contractOf(view) ?? { key: [], references: [] };
  const list = (columns: readonly string[]): string => columns.map((column) => `${code}${column}${code}`).join(", ");
  return [
    ...(key.length === 0 ? [] : [`Key: ${list(key)}`]),
    ...(references.length === 0
      ? []
      : [`References: ${references.map(({ columns, parent }) => `${list(columns)} in ${list([parent])}`).join("; ")}`]),
  ];
}
