/** Questions that people ask, as the README shows them: each has to be answered within 50 ms over 134 releases. */
export const exampleQueries: readonly { readonly about: string; readonly sql: string }[] = [
  {
    about: "one module at a version",
    sql: "SELECT bytecode_sha256, bytecode_size FROM modules_at WHERE ledger_version = 70000 AND address = '0x1' AND module = 'coin'",
  },
  { about: "all modules at a version", sql: "SELECT address, module, bytecode_sha256 FROM modules_at WHERE ledger_version = 70000" },
  {
    about: "a module's functions at a version",
    sql: "SELECT name, signature FROM functions_at WHERE ledger_version = 70000 AND address = '0x1' AND module = 'coin'",
  },
  { about: "functions by name", sql: "SELECT address, module, signature FROM functions_latest WHERE name = 'transfer'" },
  {
    about: "every entry function of an account",
    sql: "SELECT module, signature FROM functions_latest WHERE address = '0x1' AND is_entry",
  },
  {
    about: "functions by the type of a parameter",
    sql: "SELECT address, module, function FROM function_params_latest WHERE type = '&signer'",
  },
  { about: "functions that return a type", sql: "SELECT address, module, function FROM function_returns_latest WHERE type LIKE '%Coin<%'" },
  {
    about: "who uses a struct",
    sql: "SELECT address, module, item, place FROM type_uses_latest WHERE used_address = '0x1' AND used_module = 'coin' AND used_struct = 'Coin'",
  },
  {
    about: "who depends on a module",
    sql: "SELECT address, module FROM dependencies_latest WHERE other_address = '0x1' AND other_module = 'coin'",
  },
  { about: "fields by type", sql: "SELECT address, module, struct, name FROM fields_latest WHERE type = 'u128'" },
  {
    about: "an abort code",
    sql: "SELECT name, description FROM error_codes_latest WHERE address = '0x1' AND module = 'coin' AND code = 10",
  },
  {
    about: "what changed at a version",
    sql: "SELECT module, from_sha256, to_sha256, abi_changed FROM module_changes WHERE at_or_before_version = 70000",
  },
  {
    about: "a module's changes",
    sql: "SELECT after_version, at_or_before_version, abi_changed FROM module_changes WHERE address = '0x1' AND module = 'coin'",
  },
  { about: "all changes of all modules", sql: "SELECT count(*), sum(abi_changed) FROM module_changes" },
  {
    about: "when a function was there",
    sql: "SELECT min(ledger_version), max(ledger_version) FROM functions_at WHERE address = '0x1' AND module = 'coin' AND name = 'balance'",
  },
];
