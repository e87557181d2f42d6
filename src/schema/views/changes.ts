import { coveredAfter, coveredAt, coveredBefore, standsAt } from "./covered.ts";
import { addressLong, chain, hexText, snapshotColumns, typed, type ViewColumnData, type ViewData } from "./view.ts";

const text = (meaning: string): ViewColumnData => ({ type: "text", meaning });
const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });

const bounds = {
  after_version: integer("ledger version at which the old state still stood"),
  at_or_before_version: integer("ledger version at which the new state stood"),
  is_exact: integer("1 when no version lies between the two, so that the change is at the second, else 0; `movedex trace` makes it 1"),
};

// Each change as snapshots show it: where a span of the one value ends and what stands at the account's next snapshot. The
// span before is named by its key, so that it is looked up and not looked for.
const moduleSteps =
  `SELECT n.address_id, n.name, o.bytecode_id AS from_value, n.bytecode_id AS to_value, ${coveredBefore("n.address_id", "n.from_version")} AS after_version, ` +
  "n.from_version AS at_or_before_version FROM module_spans n LEFT JOIN module_spans o ON o.address_id = n.address_id AND o.name = n.name " +
  "AND o.from_version = (SELECT max(q.from_version) FROM module_spans q WHERE q.address_id = n.address_id AND q.name = n.name AND q.from_version < n.from_version) " +
  `AND o.to_version = ${coveredBefore("n.address_id", "n.from_version")} ` +
  "UNION ALL " +
  `SELECT o.address_id, o.name, o.bytecode_id, NULL, o.to_version, ${coveredAfter("o.address_id", "o.to_version")} ` +
  "FROM module_spans o WHERE o.to_version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM module_spans n WHERE n.address_id = o.address_id " +
  `AND n.name = o.name AND n.from_version = ${coveredAfter("o.address_id", "o.to_version")})`;

const keySteps =
  "SELECT n.address_id, '' AS name, o.authentication_key AS from_value, n.authentication_key AS to_value, o.to_version AS after_version, " +
  "n.from_version AS at_or_before_version FROM account_spans n JOIN account_spans o ON o.address_id = n.address_id " +
  "AND o.from_version = (SELECT max(q.from_version) FROM account_spans q WHERE q.address_id = n.address_id AND q.from_version < n.from_version) " +
  `AND o.to_version = ${coveredBefore("n.address_id", "n.from_version")} WHERE o.authentication_key <> n.authentication_key`;

const probedModules = {
  probes: `SELECT q.address_id, q.name, q.ledger_version, q.bytecode_id AS value FROM module_probes q WHERE NOT ${coveredAt("q.address_id", "q.ledger_version")}`,
  valueAt: (version: string): string =>
    `(SELECT s.bytecode_id FROM module_spans s WHERE s.address_id = x.address_id AND s.name = x.name AND ${standsAt("s", version)})`,
};

const probedKeys = {
  probes: `SELECT q.address_id, '' AS name, q.ledger_version, q.authentication_key AS value FROM account_probes q WHERE NOT ${coveredAt("q.address_id", "q.ledger_version")}`,
  valueAt: (version: string): string =>
    `(SELECT s.authentication_key FROM account_spans s WHERE s.address_id = x.address_id AND ${standsAt("s", version)})`,
};

/**
 * Changes of a value between consecutive observations of it: snapshots that cover its account, and probes between these.
 * A stretch without probes is taken as its snapshots show it; one with probes is walked from observation to observation,
 * which tightens a change, and may part it into several or show one that both snapshots hide.
 */
function tightened(steps: string, { probes, valueAt }: typeof probedModules): string {
  const stretches = `SELECT DISTINCT q.address_id, q.name, ${coveredBefore("q.address_id", "q.ledger_version")} AS low, ${coveredAfter("q.address_id", "q.ledger_version")} AS high FROM (${probes}) q`;
  const points = [
    `SELECT x.address_id, x.name, x.high, x.low AS version, ${valueAt("x.low")} AS value FROM stretches x`,
    `SELECT x.address_id, x.name, x.high, x.high, ${valueAt("x.high")} FROM stretches x`,
    `SELECT x.address_id, x.name, x.high, q.ledger_version, q.value FROM stretches x JOIN (${probes}) q ON q.address_id = x.address_id AND q.name = x.name ` +
      "AND q.ledger_version > x.low AND q.ledger_version < x.high",
  ].join(" UNION ALL ");
  const walked =
    `WITH stretches AS MATERIALIZED (${stretches}), points AS (${points}), walk AS (SELECT address_id, name, high, version, value, ` +
    "lag(version) OVER steps AS after_version, lag(value) OVER steps AS from_value FROM points WHERE high IS NOT NULL AND version IS NOT NULL " +
    "WINDOW steps AS (PARTITION BY address_id, name, high ORDER BY version)) " +
    "SELECT address_id, name, from_value, value AS to_value, after_version, version AS at_or_before_version, high AS shown_by FROM walk " +
    "WHERE after_version IS NOT NULL AND from_value IS NOT value";
  const plain =
    `SELECT y.address_id, y.name, y.from_value, y.to_value, y.after_version, y.at_or_before_version, y.at_or_before_version AS shown_by FROM (${steps}) y ` +
    `WHERE y.after_version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM (${probes}) q WHERE q.address_id = y.address_id AND q.name = y.name ` +
    "AND q.ledger_version > y.after_version AND q.ledger_version < y.at_or_before_version)";
  return `SELECT * FROM (${plain}) UNION ALL SELECT * FROM (${walked})`;
}

const between = [
  `${typed("x.after_version", "integer")} AS after_version`,
  `${typed("x.at_or_before_version", "integer")} AS at_or_before_version`,
  `${typed("x.after_version + 1 = x.at_or_before_version", "integer")} AS is_exact`,
].join(", ");
const shownBy = integer("the sealed snapshot that showed the change; the change itself is at or before at_or_before_version");

/** What changed, and as exactly as is known when. */
export const changeViews: readonly ViewData[] = [
  {
    name: "module_changes",
    meaning: "Changes of modules between two consecutive observations of an account; the first sight of an account is no change",
    columns: {
      ...snapshotColumns,
      ledger_version: shownBy,
      module: text("name of the module"),
      from_sha256: text("SHA-256 of the bytecode before, null when the module was added"),
      to_sha256: text("SHA-256 of the bytecode after, null when the module was removed"),
      ...bounds,
      abi_changed: integer(
        "1 when the ABI as the node prints it changed, 0 when only code did, null when one of the two cannot be decoded",
      ),
    },
    sqlite:
      `SELECT ${chain}, ${typed("x.shown_by", "integer")} AS ledger_version, a.address, ${addressLong("a.address")} AS address_long, ${typed("x.name", "text")} AS module, ` +
      `${typed("nullif(lower(hex(fb.sha256)), '')", "text")} AS from_sha256, ${typed("nullif(lower(hex(tb.sha256)), '')", "text")} AS to_sha256, ${between}, ` +
      `${typed("CASE WHEN x.from_value IS NULL OR x.to_value IS NULL THEN 1 ELSE fa.face_digest <> ta.face_digest END", "integer")} AS abi_changed ` +
      `FROM (${tightened(moduleSteps, probedModules)}) x JOIN addresses a ON a.id = x.address_id LEFT JOIN bytecodes fb ON fb.id = x.from_value ` +
      "LEFT JOIN bytecodes tb ON tb.id = x.to_value LEFT JOIN abis fa ON fa.id = fb.abi_id LEFT JOIN abis ta ON ta.id = tb.abi_id",
  },
  {
    name: "key_rotations",
    meaning: "Changes of accounts' authentication keys between two consecutive observations",
    columns: {
      ...snapshotColumns,
      ledger_version: shownBy,
      from_key: text("the authentication key before, as 0x and hex, null when there was no record"),
      to_key: text("the authentication key after, null when there is no record"),
      ...bounds,
    },
    sqlite:
      `SELECT ${chain}, ${typed("x.shown_by", "integer")} AS ledger_version, a.address, ${addressLong("a.address")} AS address_long, ${hexText("x.from_value", "0x")} AS from_key, ` +
      `${hexText("x.to_value", "0x")} AS to_key, ${between} ` +
      `FROM (${tightened(keySteps, probedKeys)}) x JOIN addresses a ON a.id = x.address_id`,
  },
];
