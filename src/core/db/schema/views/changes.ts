import { asText, flag, jsonList } from "../sql/functions.ts";
import {
  coverage,
  coveredAfter,
  coveredAt,
  coveredBefore,
  differ,
  includesVersion,
  moduleSpans,
  recordCoverage,
} from "../sql/predicates.ts";
import { type Expression, named, type Sql, sql } from "../sql/sql.ts";
import {
  asInteger,
  boolean,
  changeTimeOf,
  hexText,
  integer,
  prefixedHex,
  snapshotColumns,
  termsOf,
  text,
  type ViewColumns,
  type ViewData,
} from "./view.ts";

/** Which changes are wanted, all where left out: by the account's number, the module's name, the snapshots that showed them. */
export type ChangesAmong = { readonly account?: Sql; readonly module?: Sql; readonly after?: Sql; readonly upTo?: Sql };

/** ` AND …` with a condition, such as a column and `=`, that ends with a value; nothing where none is wanted. */
const and = (condition: Sql, value: Sql | undefined): Sql => (value === undefined ? sql`` : sql` AND ${condition} ${value}`);

const recordBefore = coveredBefore(sql`n.address_id`, sql`n.from_version`, recordCoverage);
// Each listing of an account and the one before it, which is named by its key, so that it is looked up and not looked for. The
// listings of an account's snapshots follow one another without a hole, so a change is what two of them show differently.
const listingSteps = sql`FROM _listing_spans n JOIN _listing_spans o ON o.address_id = n.address_id AND o.from_version =
    (SELECT max(q.from_version) FROM _listing_spans q WHERE q.address_id = n.address_id AND q.from_version < n.from_version)`;
// The same pairs from the other end, for asking about all of them: few listings ended, and only such have one after them.
const allListingSteps = sql`FROM _listing_spans o JOIN _listing_spans n ON o.to_version IS NOT NULL AND n.address_id = o.address_id AND n.from_version =
    (SELECT min(q.from_version) FROM _listing_spans q WHERE q.address_id = o.address_id AND q.from_version > o.from_version)`;
const stepsAmong = ({ account, after, upTo }: ChangesAmong): Sql =>
  sql`${and(sql`n.address_id =`, account)}${and(sql`n.from_version >`, after)}${and(sql`n.from_version <=`, upTo)}`;
// What either of two listings has and the other has not, or otherwise.
const moduleSteps = (
  among: ChangesAmong,
  steps = listingSteps,
): Sql => sql`SELECT n.address_id, x.name, om.bytecode_id AS from_value, nm.bytecode_id AS to_value,
    o.to_version AS after_version, n.from_version AS at_or_before_version ${steps}
    JOIN _listing_modules x ON x.listing_id IN (n.listing_id, o.listing_id)
    LEFT JOIN _listing_modules nm ON nm.listing_id = n.listing_id AND nm.name = x.name
    LEFT JOIN _listing_modules om ON om.listing_id = o.listing_id AND om.name = x.name
    WHERE (x.listing_id = n.listing_id OR nm.name IS NULL)
      AND ${differ(sql`om.bytecode_id`, sql`nm.bytecode_id`)}${stepsAmong(among)}${and(sql`x.name =`, among.module)}`;

const keySteps = (
  among: ChangesAmong,
) => sql`SELECT n.address_id, '' AS name, o.authentication_key AS from_value, n.authentication_key AS to_value, o.to_version AS after_version,
    n.from_version AS at_or_before_version FROM _account_spans n JOIN _account_spans o ON o.address_id = n.address_id
    AND o.from_version = (SELECT max(q.from_version) FROM _account_spans q WHERE q.address_id = n.address_id AND q.from_version < n.from_version)
    AND o.to_version = ${recordBefore} WHERE o.authentication_key <> n.authentication_key${stepsAmong(among)}`;

const isBetween = (of: Sql): Sql => sql`NOT ${coveredAt(sql`q.address_id`, sql`q.ledger_version`, of)}`;

/** Point reads between the snapshots of a coverage, and what stood at one of these. */
type Probed = { readonly of: Sql; readonly probes: Sql; readonly valueAt: (version: Expression) => Sql };

const probedModules = ({ account, module }: ChangesAmong): Probed => ({
  of: coverage,
  probes: sql`SELECT q.address_id, q.name, q.ledger_version, q.bytecode_id AS value FROM _module_probes q
    WHERE ${isBetween(coverage)}${and(sql`q.address_id =`, account)}${and(sql`q.name =`, module)}`,
  valueAt: (version) =>
    sql`(SELECT s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = x.address_id AND s.name = x.name AND ${includesVersion("s", version)})`,
});

const probedKeys = ({ account }: ChangesAmong): Probed => ({
  of: recordCoverage,
  probes: sql`SELECT q.address_id, '' AS name, q.ledger_version, q.authentication_key AS value FROM _account_probes q
    WHERE ${isBetween(recordCoverage)}${and(sql`q.address_id =`, account)}`,
  valueAt: (version) =>
    sql`(SELECT s.authentication_key FROM _account_spans s WHERE s.address_id = x.address_id AND ${includesVersion("s", version)})`,
});

/** Rows of changes, to be named after FROM: where no probe lies between two snapshots, and where one does. */
type Tightened = { readonly unprobed: Sql; readonly probed: Sql };

/** Changes between consecutive observations: snapshots, and probes between them. */
function tightened(steps: Sql, { of, probes, valueAt }: Probed): Tightened {
  const [account, version] = [sql`q.address_id`, sql`q.ledger_version`];
  const unprobed = sql`SELECT y.address_id, y.name, y.from_value, y.to_value, y.after_version, y.at_or_before_version, y.at_or_before_version AS shown_by
    FROM (${steps}) y WHERE y.after_version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM (${probes}) q WHERE q.address_id = y.address_id
      AND q.name = y.name AND q.ledger_version > y.after_version AND q.ledger_version < y.at_or_before_version)`;
  // Each probe with the snapshots on both sides, and those before and behind it in its stretch.
  const placed = sql`SELECT q.address_id, q.name, q.ledger_version, q.value, ${coveredBefore(account, version, of)} AS low,
    ${coveredAfter(account, version, of)} AS high FROM (${probes}) q`;
  const walked = sql`SELECT x.*, lag(x.ledger_version) OVER (PARTITION BY x.address_id, x.name, x.high ORDER BY x.ledger_version) AS before,
    lag(x.value) OVER (PARTITION BY x.address_id, x.name, x.high ORDER BY x.ledger_version) AS value_before,
    lead(x.ledger_version) OVER (PARTITION BY x.address_id, x.name, x.high ORDER BY x.ledger_version) AS behind FROM (${placed}) x WHERE x.high IS NOT NULL`;
  const upTo = sql`SELECT x.address_id, x.name, CASE WHEN x.before IS NULL THEN ${valueAt("x.low")} ELSE x.value_before END AS from_value,
    x.value AS to_value, coalesce(x.before, x.low) AS after_version, x.ledger_version AS at_or_before_version, x.high AS shown_by FROM walked x`;
  const behindLast = sql`SELECT x.address_id, x.name, x.value AS from_value, ${valueAt("x.high")} AS to_value, x.ledger_version AS after_version,
    x.high AS at_or_before_version, x.high AS shown_by FROM walked x WHERE x.behind IS NULL`;
  // The statement begins with SELECT, which is how drizzle-kit knows a view.
  const probed = sql`SELECT z.* FROM (WITH walked AS (${walked}) ${upTo} UNION ALL ${behindLast}) z
    WHERE z.after_version IS NOT NULL AND ${differ(sql`z.from_value`, sql`z.to_value`)}`;
  return { unprobed: sql`(${unprobed})`, probed: sql`(${probed})` };
}

/** Two selects, so that conditions reach the tables. */
const either = ({ unprobed, probed }: Tightened, select: (rows: Sql) => Sql): Sql => sql`${select(unprobed)} UNION ALL ${select(probed)}`;

/** Columns of every change `x`, from the sealed snapshot on that showed it. */
const shownColumns: ViewColumns = {
  ...snapshotColumns,
  ledger_version: integer(
    "the sealed snapshot that first showed the change; the change happened at or before at_or_before_version",
    asInteger(sql`x.shown_by`),
  ),
};
const boundColumns: ViewColumns = {
  after_version: integer("last ledger version known to have the old state", asInteger(sql`x.after_version`)),
  at_or_before_version: integer("first ledger version known to have the new state", asInteger(sql`x.at_or_before_version`)),
  is_exact: boolean(
    "whether no version lies between the two, so the change is exactly at at_or_before_version; `movedex trace` makes it exact",
    flag(sql`x.after_version + 1 = x.at_or_before_version`),
  ),
};
const timeColumns = changeTimeOf(sql`x.after_version`, sql`x.at_or_before_version`);

const changeColumns: ViewColumns = {
  ...shownColumns,
  module: text("name of the module", asText("x.name")),
  from_sha256: text("SHA-256 of the old bytecode; null if the module was added", hexText("fb.sha256")),
  to_sha256: text("SHA-256 of the new bytecode; null if the module was removed", hexText("tb.sha256")),
  ...boundColumns,
  abi_changed: boolean(
    "whether the ABI that nodes print changed, and not only code; null if one of the two cannot be decoded",
    flag(sql`CASE WHEN x.from_value IS NULL OR x.to_value IS NULL THEN TRUE ELSE fa.face_digest <> ta.face_digest END`),
  ),
  ...timeColumns,
};

/** What is added to the rows of a change `x`: columns, and the tables that they come from. */
type AddedColumns = { readonly columns: ViewColumns; readonly tables: Sql };

const moduleRows = (among: ChangesAmong): Tightened => tightened(moduleSteps(among), probedModules(among));

/** What the views of changes are made from: all of them would have the text of both otherwise. */
const stepViews = { unprobed: "_module_steps", probed: "_probed_module_steps" } as const;

const stepColumns: ViewColumns = {
  address_id: integer("the account's number"),
  name: text("name of the module"),
  from_value: integer("the old bytecode's number; null if the module was added"),
  to_value: integer("the new one's; null if it was removed"),
  after_version: integer("last ledger version known to have the old state"),
  at_or_before_version: integer("first one known to have the new state"),
  shown_by: integer("the sealed snapshot that first showed it"),
};

export const internalChangeViews: readonly ViewData[] = (["unprobed", "probed"] as const).map((which) => ({
  name: stepViews[which],
  meaning: `Changes of modules between two snapshots ${which === "probed" ? "with probes" : "without a probe"} between them`,
  columns: stepColumns,
  select: sql`SELECT x.* FROM ${moduleRows({})[which]} x`,
}));

/** The rows of a view of changes, of these columns and `added` ones. */
function changesBy(rows: Tightened, { columns, tables }: AddedColumns = { columns: {}, tables: sql`` }): Sql {
  const select = (some: Sql): Sql => sql`SELECT ${termsOf({ ...changeColumns, ...columns }, "x")}
      FROM ${some} x JOIN _addresses a ON a.id = x.address_id LEFT JOIN _bytecodes fb ON fb.id = x.from_value
      LEFT JOIN _bytecodes tb ON tb.id = x.to_value LEFT JOIN _abis fa ON fa.id = fb.abi_id LEFT JOIN _abis ta ON ta.id = tb.abi_id${tables}`;
  return either(rows, select);
}

const changesInView = (added?: AddedColumns): Sql =>
  changesBy({ unprobed: named(stepViews.unprobed), probed: named(stepViews.probed) }, added);

/** The rows of the view `module_changes`, or of those among them that are wanted. */
export function moduleChangeRows(among: ChangesAmong = {}, added?: AddedColumns): Sql {
  return changesBy(moduleRows(among), added);
}

const judgement = sql`LEFT JOIN _judged_upgrades j ON j.from_id = x.from_value AND j.to_id = x.to_value`;
/** What the rules say of a module that comes, of one that goes (no bytes have to be compared for these), and of any other change. */
const judged = (added: Sql, removed: Sql, column: Sql): Sql =>
  sql`CASE WHEN x.from_value IS NULL THEN ${added} WHEN x.to_value IS NULL THEN ${removed} ELSE ${column} END`;
/** For whomever, a module that comes is safe, and one that goes breaking. */
const level = (column: Sql): Sql => asText(judged(sql`'safe'`, sql`'breaking'`, column));
const findings = (name: string): readonly [string, ViewColumns[string]] => {
  const of = (level: string): Sql => (name === level ? sql`1` : sql`0`);
  const amount = judged(of("safe"), of("breaking"), sql`j.${named(name)}`);
  return [`${name}_findings`, integer(`number of ${name} findings; null until the change is judged`, asInteger(amount))];
};

const judgementColumns: ViewColumns = {
  severity: text(
    "the worst severity: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared; null until the next run judges the change",
    level(sql`j.severity`),
  ),
  for_callers: text("the worst severity for modules and scripts that link against it; null if nothing affects them", level(sql`j.callers`)),
  for_clients: text("the worst severity for programs that call it through a node; null if nothing affects them", level(sql`j.clients`)),
  for_readers: text("the worst severity for programs that decode what it stores; null if nothing affects them", level(sql`j.readers`)),
  ...Object.fromEntries(["breaking", "dangerous", "behaviour", "safe", "silent"].map(findings)),
  refused_findings: integer(
    "number of findings for which the VM refuses the upgrade; null until the change is judged",
    asInteger(judged(sql`0`, sql`1`, sql`j.refused`)),
  ),
  worst_rule: text(
    "rule of the worst finding; null if there is none",
    asText(judged(sql`'module-added'`, sql`'module-removed'`, sql`j.rule`)),
  ),
  worst_item_kind: text(
    "what the worst finding is about: module, function, struct, friend or error; null if there is none",
    asText(judged(sql`'module'`, sql`'module'`, sql`j.item_kind`)),
  ),
  worst_item: text("name of that item; null for the module itself", asText("j.item")),
  reason: text("why the two could not be compared completely; null if they were", asText("j.reason")),
  rules: integer(
    "version of the rules that judged it; null if the module was added or removed, or the change is not judged yet",
    asInteger(sql`j.rules`),
  ),
};

const isOfRename = sql`r.from_id = x.from_value AND r.to_id = x.to_value`;
/** What only has another name, for those that read whole changes: a JSON list of kind, old name and new name, parted by spaces. */
const renamesColumn: ViewColumns = {
  renames: text(
    "functions and structs that were only renamed",
    jsonList(
      sql`r.item_kind || ' ' || r.from_name || ' ' || r.to_name`,
      sql`_judged_renames r WHERE ${isOfRename}`,
      sql`r.item_kind, r.from_name`,
    ),
  ),
};

/** The rows of the view `judged_changes`, or of those among them that are wanted. The view has no column of renames. */
export function judgedChangeRows(among: ChangesAmong = {}, withRenames = false): Sql {
  const columns = withRenames ? { ...judgementColumns, ...renamesColumn } : judgementColumns;
  return moduleChangeRows(among, { columns, tables: sql` ${judgement}` });
}

/** Pairs of consecutive bytecodes, each with a snapshot that shows it, without a complete judgement by these rules (`:rules`). */
export const unjudgedPairs = sql<[from: number, to: number]>`SELECT from_value, to_value FROM (${either(
  tightened(moduleSteps({}, allListingSteps), probedModules({})),
  (rows) => sql`SELECT x.from_value, x.to_value, x.shown_by FROM ${rows} x ${judgement}
    WHERE x.from_value IS NOT NULL AND x.to_value IS NOT NULL AND (j.rules IS NULL OR j.rules <> :rules OR j.reason IS NOT NULL)`,
)}) pairs GROUP BY from_value, to_value ORDER BY max(shown_by) DESC, from_value, to_value LIMIT CAST(:limit AS int)`;

const rotationColumns: ViewColumns = {
  ...shownColumns,
  from_key: text("the old authentication key as 0x and hex; null if there was no record", prefixedHex("x.from_value")),
  to_key: text("the new authentication key; null if there is no record", prefixedHex("x.to_value")),
  ...boundColumns,
  ...timeColumns,
};

/** The rows of the view `key_rotations`, or of those among them that are wanted. */
export function keyRotationRows(among: Omit<ChangesAmong, "module"> = {}): Sql {
  const select = (rows: Sql): Sql => sql`SELECT ${termsOf(rotationColumns, "x")}
      FROM ${rows} x JOIN _addresses a ON a.id = x.address_id`;
  return either(tightened(keySteps(among), probedKeys(among)), select);
}

const renameColumns: ViewColumns = {
  item_kind: text("function or struct", asText("r.item_kind")),
  from_name: text("its name before", asText("r.from_name")),
  to_name: text("its name after", asText("r.to_name")),
};

const of = (column: string, added: Sql, removed: Sql): Sql => asText(judged(added, removed, sql`i.${named(column)}`));
/** For those whom it concerns, a finding is as bad as a module that comes or goes is for all. */
const levelOf = (column: string): Sql => of(column, sql`'safe'`, sql`'breaking'`);
const itemColumns: ViewColumns = {
  position: integer("position among the findings of the change, the worst first, from 0", asInteger(sql`coalesce(i.position, 0)`)),
  item_kind: text(
    "what changed: module, function, struct, friend or error; null if the change was not judged",
    of("item_kind", sql`'module'`, sql`'module'`),
  ),
  item: text("name of the function, struct, friend or error; null for the module itself", asText("i.item")),
  rule: text("the rule that found it; null if the change was not judged", of("rule", sql`'module-added'`, sql`'module-removed'`)),
  severity: text(
    "its worst severity: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared; null until the next run judges the change",
    asText(sql`coalesce(${levelOf("severity")}, j.severity)`),
  ),
  for_callers: text("its severity for modules and scripts that link against it; null if it does not concern them", levelOf("callers")),
  for_clients: text("its severity for programs that call it through a node; null if it does not concern them", levelOf("clients")),
  for_readers: text("its severity for programs that decode what it stores; null if it does not concern them", levelOf("readers")),
  upgrade: text(
    "whether the VM accepts an upgrade with it: allowed, refused, refused where friends count, or refused by generation B; null if the change was not judged",
    of("upgrade", sql`'allowed'`, sql`'refused'`),
  ),
  before: text("the item before, as a line of Move; null if it did not exist", of("before", sql`NULL`, hexText("fb.sha256"))),
  after: text("the item after; null if it does not exist", of("after", hexText("tb.sha256"), sql`NULL`)),
};
const itemFindings = sql` ${judgement} LEFT JOIN _judged_findings i ON i.from_id = x.from_value AND i.to_id = x.to_value`;

/** What changed, and as exactly as is known when. */
export const changeViews: readonly ViewData[] = [
  {
    name: "module_changes",
    meaning: "Changes of modules between two consecutive observations of an account; the first observation of an account is not a change",
    columns: changeColumns,
    select: changesInView(),
  },
  {
    name: "judged_changes",
    meaning: "Changes of modules with their severity by the rules of diff; pages, report, feed and alerts use these",
    columns: { ...changeColumns, ...judgementColumns },
    select: changesInView({ columns: judgementColumns, tables: sql` ${judgement}` }),
  },
  {
    name: "changes",
    meaning: "Changes of modules, item by item: what `diff` says of each, the worst first; a module that came or went is one row",
    columns: { ...changeColumns, ...itemColumns },
    select: changesInView({ columns: itemColumns, tables: itemFindings }),
  },
  {
    name: "item_renames",
    meaning: "Functions and structs that an upgrade only renamed; `judged_changes` counts each as one removed and one added",
    columns: { ...changeColumns, ...renameColumns },
    select: changesInView({ columns: renameColumns, tables: sql` JOIN _judged_renames r ON ${isOfRename}` }),
  },
  {
    name: "key_rotations",
    meaning: "Changes of accounts' authentication keys between two consecutive observations",
    columns: rotationColumns,
    select: keyRotationRows(),
  },
];
