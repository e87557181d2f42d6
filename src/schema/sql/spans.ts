import { inDialect, type Sql } from "./sql.ts";

/**
 * The modules of accounts over stretches of snapshots, to be read like a table (`FROM ${MODULE_SPANS} s`): `address_id`, `name`,
 * `from_version`, `to_version`, `listing_id` and `bytecode_id`. A stretch is that of the account's listing, which ends wherever any of its
 * modules changes: right for what stands at a version, too short for since when a module is as it is.
 */
const MODULE_SPANS =
  "(SELECT ls.address_id, lm.name, ls.from_version, ls.to_version, ls.listing_id, lm.bytecode_id " +
  "FROM _listing_spans ls JOIN _listing_modules lm ON lm.listing_id = ls.listing_id)";

/** The same for statements of the engine. */
export const moduleSpans: Sql = inDialect(() => MODULE_SPANS);
