import { asText, flag, jsonList } from "../../core/db/schema/sql/functions.ts";
import { named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import {
  asInteger,
  boolean,
  hexText,
  integer,
  prefixedHex,
  snapshotColumns,
  termsOf,
  text,
  type ViewColumns,
  type ViewData,
} from "../../core/db/schema/view.ts";
import { type Among, type Changes, changeTimeOf, keyChanges, moduleChanges, ofBoth } from "./change-steps.ts";

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
    flag(sql`CASE WHEN x.from_value IS NULL OR x.to_value IS NULL THEN TRUE ELSE fa.module_id <> ta.module_id OR fa.face <> ta.face END`),
  ),
  ...timeColumns,
};

const stepColumns: ViewColumns = {
  address_id: integer("the account's number"),
  name: text("name of the module"),
  from_value: integer("the old bytecode's number; null if the module was added"),
  to_value: integer("the new one's; null if it was removed"),
  after_version: integer("last ledger version known to have the old state"),
  at_or_before_version: integer("first one known to have the new state"),
  shown_by: integer("the sealed snapshot that first showed it"),
};

/** What the views of changes are made from: all of them would have the text of both otherwise. */
const stepViews = { unprobed: "_module_steps", probed: "_probed_module_steps" } as const;

export const internalChangeViews: readonly ViewData[] = [
  {
    name: stepViews.unprobed,
    meaning: "Changes of modules between two snapshots without a probe between them",
    columns: stepColumns,
    select: sql`SELECT x.* FROM ${moduleChanges.unprobed()} x`,
  },
  {
    name: stepViews.probed,
    meaning: "Changes of modules between two snapshots with probes between them",
    columns: stepColumns,
    select: sql`SELECT x.* FROM ${moduleChanges.probed()} x`,
  },
];

/** Changes with these columns, some of `tables`. */
function changesWith(changes: Changes, columns: ViewColumns = {}, tables = sql``, among?: Among): Sql {
  const select = (some: Sql): Sql => sql`SELECT ${termsOf({ ...changeColumns, ...columns }, "x")}
      FROM ${some} x JOIN _addresses a ON a.id = x.address_id LEFT JOIN _bytecodes fb ON fb.id = x.from_value
      LEFT JOIN _bytecodes tb ON tb.id = x.to_value LEFT JOIN _abis fa ON fa.id = fb.abi_id LEFT JOIN _abis ta ON ta.id = tb.abi_id ${tables}`;
  return ofBoth(changes, select, among);
}

const changesInView = (columns?: ViewColumns, tables?: Sql): Sql =>
  changesWith({ unprobed: () => named(stepViews.unprobed), probed: () => named(stepViews.probed) }, columns, tables);

/** The rows of the view `module_changes`, of which only some may be wanted. */
export const moduleChangeRows = (among?: Among): Sql => changesWith(moduleChanges, {}, sql``, among);

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
    "functions that were only renamed",
    jsonList(
      sql`r.item_kind || ' ' || r.from_name || ' ' || r.to_name`,
      sql`_judged_renames r WHERE ${isOfRename}`,
      sql`r.item_kind, r.from_name`,
    ),
  ),
};

/** The rows of the view `judged_changes`, with the renames, which it does not show. */
export const judgedChangeRows = changesWith(moduleChanges, { ...judgementColumns, ...renamesColumn }, judgement);

/** Pairs of consecutive bytecodes, each with a snapshot that shows it, without a complete judgement by these rules (`:rules`). */
export const unjudgedPairs = sql<[from: number, to: number]>`SELECT from_value, to_value FROM (${ofBoth(
  moduleChanges,
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

/** The rows of the view `key_rotations`, of which only some may be wanted. */
export const keyRotationRows = (among?: Among): Sql =>
  ofBoth(keyChanges, (rows) => sql`SELECT ${termsOf(rotationColumns, "x")} FROM ${rows} x JOIN _addresses a ON a.id = x.address_id`, among);

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
  before: text(
    "the item before, or what of it changed: a line of Move, words, names, or the module's SHA-256; null if nothing is told",
    of("before", sql`NULL`, hexText("fb.sha256")),
  ),
  after: text("the same after; null if nothing is told", of("after", hexText("tb.sha256"), sql`NULL`)),
};
const itemFindings = sql`${judgement} LEFT JOIN _judged_findings i ON i.from_id = x.from_value AND i.to_id = x.to_value`;

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
    select: changesInView(judgementColumns, judgement),
  },
  {
    name: "changes",
    meaning: "Changes of modules, item by item: what `diff` says of each, the worst first; a module that came or went is one row",
    columns: { ...changeColumns, ...itemColumns },
    select: changesInView(itemColumns, itemFindings),
  },
  {
    name: "item_renames",
    meaning: "Functions that an upgrade only renamed; `judged_changes` counts each as one removed and one added",
    columns: { ...changeColumns, ...renameColumns },
    select: changesInView(renameColumns, sql`JOIN _judged_renames r ON ${isOfRename}`),
  },
  {
    name: "key_rotations",
    meaning: "Changes of accounts' authentication keys between two consecutive observations",
    columns: rotationColumns,
    select: keyRotationRows(),
  },
];
