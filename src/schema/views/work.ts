import { sql } from "../sql/sql.ts";
import { addressLong, asInteger, chain, integer, text, time, timeOf, type ViewData } from "./view.ts";

/** What was run, which accounts are read, and how far back nodes could be read. */
export const workViews: readonly ViewData[] = [
  {
    name: "run_history",
    meaning: "Runs of the crawler: when they ran, how they ended and what they cost",
    columns: {
      chain_id: integer("the chain; null before the first snapshot"),
      run: integer("number of the run"),
      command: text("the command"),
      app_version: text("version of movedex"),
      started_at: time("when it started, UTC"),
      finished_at: time("when it finished, UTC; null if it is still running or was killed"),
      exit: text("how it ended: a name from the table of exit codes; null if it is still running or was killed"),
      ledger_version: integer("the snapshot that it worked on; null if none"),
      requests: integer("requests sent; this and the other counts are null if it is still running or was killed"),
      retries: integer("requests sent again, or null"),
      bytes_received: integer("bytes of answers, or null"),
      accounts: integer("accounts visited, or null"),
      modules: integer("modules listed, or null"),
      new_bytecodes: integer("bytecodes not seen before, or null"),
      gaps: integer("accounts missed, or null"),
    },
    select: sql`SELECT ${chain}, r.id AS run, r.command, r.app_version, ${timeOf("r.started_at")} AS started_at,
      ${timeOf("r.finished_at")} AS finished_at, r.exit, r.ledger_version, r.requests, r.retries, r.bytes_received,
      r.accounts, r.modules, r.new_bytecodes, r.gaps FROM _runs r`,
  },
  {
    name: "target_accounts",
    meaning: "Accounts on the list of targets, and those removed from it",
    columns: {
      chain_id: integer("the chain; null before the first snapshot"),
      address: text("the account as the node prints it (0x1)"),
      address_long: text("the account as 0x and 64 digits, for joins with other data"),
      reason: text("default, given, imported, dependency, friend or type"),
      via: text("the module that led to it (0x1::coin); null if none did"),
      depth: integer("number of steps from a target that was added by hand or imported"),
      added_at: time("when it was added, UTC"),
      added_by: text("who added it; null if unknown"),
      label: text("its label, as given by whoever added it; null if none"),
      removed_at: time("when it was removed, UTC; null while it is on the list"),
    },
    select: sql`SELECT ${chain}, a.address, ${addressLong} AS address_long, t.reason, t.via, t.depth,
      ${timeOf("t.added_at")} AS added_at, t.added_by, t.label, ${timeOf("t.removed_at")} AS removed_at
      FROM _targets t JOIN _addresses a ON a.id = t.address_id`,
  },
  {
    name: "horizon_samples",
    meaning: "Newest and oldest readable versions that nodes reported, over time: how the horizon moved",
    columns: {
      chain_id: integer("the chain; null before the first snapshot"),
      node: text("the node's URL without credentials"),
      sampled_at: time("when the node reported it, UTC"),
      head_version: integer("newest version"),
      oldest_version: integer("oldest readable version: the horizon"),
      readable_versions: integer("number of readable versions"),
    },
    select: sql`SELECT ${chain}, h.node, ${timeOf("h.sampled_at")} AS sampled_at, h.head_version, h.oldest_version,
      ${asInteger(sql`h.head_version - h.oldest_version + 1`)} AS readable_versions FROM _head_samples h`,
  },
];
