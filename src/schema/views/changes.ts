import { holds } from "../sql/predicates.ts";
import { moduleSpans } from "../sql/spans.ts";
import { type Expression, joined, type Sql, sql } from "../sql/sql.ts";
import { asText, flag } from "../sql/words.ts";
import { type CoverageTable, coveredAfter, coveredAt, coveredBefore } from "./covered.ts";
import {
  addressLong,
  asInteger,
  chain,
  changeTimeColumns,
  changeTimeValues,
  hexText,
  prefixedHex,
  snapshotColumns,
  type ViewColumnData,
  type ViewData,
} from "./view.ts";

const text = (meaning: string): ViewColumnData => ({ type: "text", meaning });
const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });

const bounds: ViewData["columns"] = {
  after_version: integer("ledger version at which the old state still stood"),
  at_or_before_version: integer("ledger version at which the new state stood"),
  is_exact: {
    type: "boolean",
    meaning: "whether no version lies between the two, so that the change is at the second; `movedex trace` makes it so",
  },
};

/**
 * Which changes are wanted, as conditions over single columns, so that what is not wanted is not compared: the account by its number,
 * the module by its name, the sealed snapshots that showed them. All of them where it is left out.
 */
export type ChangesAmong = { readonly account?: Sql; readonly module?: Sql; readonly after?: Sql; readonly upTo?: Sql };

/** ` AND column = …` for each condition that there is. */
function conditions(pairs: readonly (readonly [column: Sql, operator: Sql, value: Sql | undefined])[]): Sql {
  return pairs.reduce(
    (all, [column, operator, value]) => (value === undefined ? all : sql`${all} AND ${column} ${operator} ${value}`),
    sql``,
  );
}

const recordBefore = coveredBefore(sql`n.address_id`, sql`n.from_version`, "_record_coverage");
// Each listing of an account and the one before it, which is named by its key, so that it is looked up and not looked for. The
// listings of an account's snapshots follow one another without a hole, so a change is what two of them show differently.
const listingSteps = sql`FROM _listing_spans n JOIN _listing_spans o ON o.address_id = n.address_id AND o.from_version =
    (SELECT max(q.from_version) FROM _listing_spans q WHERE q.address_id = n.address_id AND q.from_version < n.from_version)`;
const stepsAmong = ({ account, after, upTo }: ChangesAmong): Sql =>
  conditions([
    [sql`n.address_id`, sql`=`, account],
    [sql`n.from_version`, sql`>`, after],
    [sql`n.from_version`, sql`<=`, upTo],
  ]);
const moduleSteps = (among: ChangesAmong): Sql => {
  const [steps, named] = [stepsAmong(among), (column: Sql): Sql => conditions([[column, sql`=`, among.module]])];
  return sql`SELECT n.address_id, nm.name, om.bytecode_id AS from_value, nm.bytecode_id AS to_value, o.to_version AS after_version,
    n.from_version AS at_or_before_version ${listingSteps} JOIN _listing_modules nm ON nm.listing_id = n.listing_id
    LEFT JOIN _listing_modules om ON om.listing_id = o.listing_id AND om.name = nm.name
    WHERE om.bytecode_id IS DISTINCT FROM nm.bytecode_id${steps}${named(sql`nm.name`)}
  UNION ALL
  SELECT n.address_id, om.name, om.bytecode_id, NULL, o.to_version, n.from_version ${listingSteps}
    JOIN _listing_modules om ON om.listing_id = o.listing_id
    WHERE NOT EXISTS (SELECT 1 FROM _listing_modules nm WHERE nm.listing_id = n.listing_id AND nm.name = om.name)${steps}${named(sql`om.name`)}`;
};

const keySteps = (
  among: ChangesAmong,
) => sql`SELECT n.address_id, '' AS name, o.authentication_key AS from_value, n.authentication_key AS to_value, o.to_version AS after_version,
    n.from_version AS at_or_before_version FROM _account_spans n JOIN _account_spans o ON o.address_id = n.address_id
    AND o.from_version = (SELECT max(q.from_version) FROM _account_spans q WHERE q.address_id = n.address_id AND q.from_version < n.from_version)
    AND o.to_version = ${recordBefore} WHERE o.authentication_key <> n.authentication_key${stepsAmong(among)}`;

const isBetween = (table: CoverageTable): Sql => sql`NOT ${coveredAt(sql`q.address_id`, sql`q.ledger_version`, table)}`;

/** Point reads between the snapshots of a coverage, and what stood at one of these. */
type Probed = { readonly table: CoverageTable; readonly probes: Sql; readonly valueAt: (version: Expression) => Sql };

const probedModules = ({ account, module }: ChangesAmong): Probed => ({
  table: "_coverage",
  probes: sql`SELECT q.address_id, q.name, q.ledger_version, q.bytecode_id AS value FROM _module_probes q
    WHERE ${isBetween("_coverage")}${conditions([
      [sql`q.address_id`, sql`=`, account],
      [sql`q.name`, sql`=`, module],
    ])}`,
  valueAt: (version) =>
    sql`(SELECT s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = x.address_id AND s.name = x.name AND ${holds("s", version)})`,
});

const probedKeys = ({ account }: ChangesAmong): Probed => ({
  table: "_record_coverage",
  probes: sql`SELECT q.address_id, '' AS name, q.ledger_version, q.authentication_key AS value FROM _account_probes q
    WHERE ${isBetween("_record_coverage")}${conditions([[sql`q.address_id`, sql`=`, account]])}`,
  valueAt: (version) =>
    sql`(SELECT s.authentication_key FROM _account_spans s WHERE s.address_id = x.address_id AND ${holds("s", version)})`,
});

/**
 * Changes of a value between consecutive observations of it: snapshots that cover its account, and probes between these.
 * A stretch without probes is taken as its snapshots show it; one with probes is walked from observation to observation,
 * which tightens a change, and may part it into several or show one that both snapshots hide.
 */
function tightened(steps: Sql, { table, probes, valueAt }: Probed): Sql {
  const [account, version] = [sql`q.address_id`, sql`q.ledger_version`];
  const stretches = sql`SELECT DISTINCT q.address_id, q.name, ${coveredBefore(account, version, table)} AS low,
    ${coveredAfter(account, version, table)} AS high FROM (${probes}) q`;
  const points = sql`SELECT x.address_id, x.name, x.high, x.low AS version, ${valueAt("x.low")} AS value FROM stretches x
    UNION ALL SELECT x.address_id, x.name, x.high, x.high, ${valueAt("x.high")} FROM stretches x
    UNION ALL SELECT x.address_id, x.name, x.high, q.ledger_version, q.value FROM stretches x JOIN (${probes}) q ON q.address_id = x.address_id
      AND q.name = x.name AND q.ledger_version > x.low AND q.ledger_version < x.high`;
  const walked = sql`WITH stretches AS MATERIALIZED (${stretches}), points AS (${points}), walk AS (SELECT address_id, name, high, version, value,
      lag(version) OVER steps AS after_version, lag(value) OVER steps AS from_value FROM points WHERE high IS NOT NULL AND version IS NOT NULL
      WINDOW steps AS (PARTITION BY address_id, name, high ORDER BY version))
    SELECT address_id, name, from_value, value AS to_value, after_version, version AS at_or_before_version, high AS shown_by FROM walk
    WHERE after_version IS NOT NULL AND from_value IS DISTINCT FROM value`;
  const plain = sql`SELECT y.address_id, y.name, y.from_value, y.to_value, y.after_version, y.at_or_before_version, y.at_or_before_version AS shown_by
    FROM (${steps}) y WHERE y.after_version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM (${probes}) q WHERE q.address_id = y.address_id
      AND q.name = y.name AND q.ledger_version > y.after_version AND q.ledger_version < y.at_or_before_version)`;
  return sql`SELECT * FROM (${plain}) plain UNION ALL SELECT * FROM (${walked}) walked`;
}

const between = joined(
  [
    sql`${asInteger(sql`x.after_version`)} AS after_version`,
    sql`${asInteger(sql`x.at_or_before_version`)} AS at_or_before_version`,
    sql`${flag(sql`x.after_version + 1 = x.at_or_before_version`)} AS is_exact`,
  ],
  ", ",
);
const times = changeTimeValues(sql`x.after_version`, sql`x.at_or_before_version`);
const head = sql`SELECT ${chain}, ${asInteger(sql`x.shown_by`)} AS ledger_version, a.address, ${addressLong} AS address_long`;
const shownBy = integer("the sealed snapshot that showed the change; the change itself is at or before at_or_before_version");

/** The rows of the view `module_changes`, or of those among them that are wanted. */
export function moduleChangeRows(among: ChangesAmong = {}): Sql {
  return sql`${head}, ${asText("x.name")} AS module, ${hexText("fb.sha256")} AS from_sha256, ${hexText("tb.sha256")} AS to_sha256, ${between},
      ${flag(sql`CASE WHEN x.from_value IS NULL OR x.to_value IS NULL THEN TRUE ELSE fa.face_digest <> ta.face_digest END`)} AS abi_changed, ${times}
      FROM (${tightened(moduleSteps(among), probedModules(among))}) x JOIN _addresses a ON a.id = x.address_id LEFT JOIN _bytecodes fb ON fb.id = x.from_value
      LEFT JOIN _bytecodes tb ON tb.id = x.to_value LEFT JOIN _abis fa ON fa.id = fb.abi_id LEFT JOIN _abis ta ON ta.id = tb.abi_id`;
}

/** The rows of the view `key_rotations`, or of those among them that are wanted. */
export function keyRotationRows(among: Omit<ChangesAmong, "module"> = {}): Sql {
  return sql`${head}, ${prefixedHex("x.from_value")} AS from_key, ${prefixedHex("x.to_value")} AS to_key, ${between}, ${times}
      FROM (${tightened(keySteps(among), probedKeys(among))}) x JOIN _addresses a ON a.id = x.address_id`;
}

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
      abi_changed: {
        type: "boolean",
        meaning: "whether the ABI as the node prints it changed, and not only code; null when one of the two cannot be decoded",
      },
      ...changeTimeColumns,
    },
    select: moduleChangeRows(),
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
      ...changeTimeColumns,
    },
    select: keyRotationRows(),
  },
];
