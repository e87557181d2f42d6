import { addressLong, SEALED, snapshotColumns, timeText, type ViewColumnData, type ViewData } from "./view.ts";

const text = (meaning: string): ViewColumnData => ({ type: "text", meaning });
const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });
const chain = "(SELECT chain_id FROM archive) AS chain_id";

// An account's neighbours of a version among the snapshots that cover it. A coverage run that ends short of the version's
// neighbour among all snapshots ends at a snapshot of its own.
const coveredBefore = (address: string, version: string): string =>
  `(SELECT max(p.ledger_version) FROM pins p WHERE ${SEALED} AND p.ledger_version <= ` +
  `(SELECT min(coalesce(c.to_version, ${version} - 1), ${version} - 1) FROM coverage c ` +
  `WHERE c.address_id = ${address} AND c.from_version < ${version} ORDER BY c.from_version DESC LIMIT 1))`;
const coveredAfter = (address: string, version: string): string =>
  `(SELECT min(p.ledger_version) FROM pins p WHERE ${SEALED} AND p.ledger_version >= ` +
  `(SELECT max(c.from_version, ${version} + 1) FROM coverage c ` +
  `WHERE c.address_id = ${address} AND (c.to_version IS NULL OR c.to_version > ${version}) ORDER BY c.from_version LIMIT 1))`;

const changes =
  `SELECT n.address_id, n.name, o.bytecode_id AS from_id, n.bytecode_id AS to_id, ${coveredBefore("n.address_id", "n.from_version")} AS after_version, ` +
  "n.from_version AS at_or_before_version FROM module_spans n LEFT JOIN module_spans o ON o.address_id = n.address_id AND o.name = n.name " +
  `AND o.to_version = ${coveredBefore("n.address_id", "n.from_version")} ` +
  "UNION ALL " +
  `SELECT o.address_id, o.name, o.bytecode_id, NULL, o.to_version, ${coveredAfter("o.address_id", "o.to_version")} ` +
  "FROM module_spans o WHERE o.to_version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM module_spans n WHERE n.address_id = o.address_id " +
  `AND n.name = o.name AND n.from_version = ${coveredAfter("o.address_id", "o.to_version")})`;

/** What changed between snapshots, what is held, and what is not. */
export const historyViews: readonly ViewData[] = [
  {
    name: "module_changes",
    meaning: "Changes of modules between two consecutive snapshots of an account; the first sight of an account is no change",
    columns: {
      ...snapshotColumns,
      ledger_version: integer("the sealed snapshot that showed the change, the same as at_or_before_version"),
      module: text("name of the module"),
      from_sha256: text("SHA-256 of the bytecode before, null when the module was added"),
      to_sha256: text("SHA-256 of the bytecode after, null when the module was removed"),
      after_version: integer("ledger version at which the old state still stood"),
      at_or_before_version: integer("ledger version at which the new state stood"),
      is_exact: integer("1 when no version lies between the two, so that the change is at the second, else 0"),
      abi_changed: integer(
        "1 when the ABI as the node prints it changed, 0 when only code did, null when one of the two cannot be decoded",
      ),
    },
    sqlite:
      `SELECT ${chain}, x.at_or_before_version AS ledger_version, a.address, ${addressLong("a.address")} AS address_long, x.name AS module, ` +
      "nullif(lower(hex(fb.sha256)), '') AS from_sha256, nullif(lower(hex(tb.sha256)), '') AS to_sha256, x.after_version, x.at_or_before_version, " +
      "x.after_version + 1 = x.at_or_before_version AS is_exact, " +
      "CASE WHEN x.from_id IS NULL OR x.to_id IS NULL THEN 1 ELSE fa.node_digest <> ta.node_digest END AS abi_changed " +
      `FROM (${changes}) x JOIN addresses a ON a.id = x.address_id LEFT JOIN bytecodes fb ON fb.id = x.from_id LEFT JOIN bytecodes tb ON tb.id = x.to_id ` +
      "LEFT JOIN abis fa ON fa.id = fb.abi_id LEFT JOIN abis ta ON ta.id = tb.abi_id WHERE x.after_version IS NOT NULL",
  },
  {
    name: "snapshots",
    meaning: "Sealed snapshots: what is held",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the ledger version that was read"),
      status: text("sealed, or sealed_with_gaps"),
      created_at: text("when it was begun, UTC"),
      sealed_at: text("when it was sealed, UTC"),
      head_version: integer("newest version of the node when it was begun"),
      oldest_version: integer("oldest readable version of the node when it was begun"),
      accounts: integer("accounts that answered"),
      modules: integer("their modules"),
      changed_modules: integer("modules that differed from the account's snapshot before, when it was sealed"),
      gaps: integer("accounts that did not answer"),
      digest: text("SHA-256 over the lines `address_long::module bytecode_sha256`, in order: equal for equal content"),
    },
    sqlite:
      `SELECT ${chain}, p.ledger_version, p.status, ${timeText("p.created_at")} AS created_at, ${timeText("p.sealed_at")} AS sealed_at, p.head_version, ` +
      `p.oldest_version, p.accounts, p.modules, p.changed_modules, p.gaps, lower(hex(p.digest)) AS digest FROM pins p WHERE ${SEALED}`,
  },
  {
    name: "gaps",
    meaning: "Accounts that a snapshot has no answer for, and why",
    columns: {
      ...snapshotColumns,
      ledger_version: integer("the snapshot"),
      status: text("how far the snapshot is: unsealed, sealed_with_gaps, or abandoned"),
      reason: text("class of the failure"),
      error_code: text("the node's error code"),
      http_status: integer("HTTP status of the last answer"),
      message: text("what the node or the network said"),
      attempts: integer("how many times it was tried"),
      is_final: integer("1 when trying again cannot help, else 0"),
      first_at: text("first failure, UTC"),
      last_at: text("latest failure, UTC"),
    },
    sqlite:
      `SELECT ${chain}, m.ledger_version, a.address, ${addressLong("a.address")} AS address_long, p.status, m.reason, m.error_code, m.http_status, ` +
      `m.message, m.attempts, m.is_final, ${timeText("m.first_at")} AS first_at, ${timeText("m.last_at")} AS last_at ` +
      "FROM misses m JOIN pins p ON p.ledger_version = m.ledger_version JOIN addresses a ON a.id = m.address_id",
  },
];
