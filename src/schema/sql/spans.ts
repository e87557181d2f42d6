import { inDialect, type Sql } from "./sql.ts";

/**
 * The modules of accounts over stretches of snapshots, read like a table: `address_id`, `name`, `from_version`, `to_version`,
 * `listing_id`, `bytecode_id`. A stretch ends where any module of the account changes.
 */
const MODULE_SPANS =
  "(SELECT ls.address_id, lm.name, ls.from_version, ls.to_version, ls.listing_id, lm.bytecode_id " +
  "FROM _listing_spans ls JOIN _listing_modules lm ON lm.listing_id = ls.listing_id)";

/** The same for statements of the engine. */
export const moduleSpans: Sql = inDialect(() => MODULE_SPANS);
