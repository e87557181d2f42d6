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
