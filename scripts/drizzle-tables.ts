// drizzle-kit finds tables among a file's own exports only, so each is named once here; test/schema compares a migrated
// database with the table data and fails when one is missing.
import { sqliteTables } from "../src/schema/dialects/sqlite.ts";

export const {
  abi_dependencies,
  abi_friends,
  abi_parts,
  abis,
  account_probes,
  account_spans,
  addresses,
  archive,
  backfill_points,
  builds,
  bytecodes,
  coverage,
  disagreements,
  functions,
  head_samples,
  misses,
  module_probes,
  module_spans,
  modules,
  pins,
  runs,
  source_snapshots,
  sources,
  struct_uses,
  structs,
  targets,
  visit_modules,
  visits,
} = sqliteTables;
