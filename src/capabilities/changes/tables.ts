import { int, orNull, position, reference, text } from "../../core/db/schema/column.ts";
import { type Reference, tablesOf } from "../../core/db/schema/table.ts";

/**
 * Counted up whenever the same two modules get other findings than before: stored judgements of changes carry it, and are made
 * again when it differs.
 */
export const RULES_VERSION = 4;

const severityFor = (whom: string) => orNull(text(`severity for ${whom}; null if it does not concern them`));

/** A finding of the rules of `diff`, whoever judged it. `whose`: of whom its severity is that. */
export const findingColumns = (whose: string) => ({
  rule: text("the rule"),
  item_kind: text("what it is about: module, function, struct, friend or error"),
  item: orNull(text("name of that item; null for the module itself")),
  severity: text(`its ${whose}: breaking, dangerous, behaviour, safe or silent`),
  callers: severityFor("callers"),
  clients: severityFor("clients"),
  readers: severityFor("readers"),
  upgrade: text("whether the VM accepts an upgrade with it: allowed, refused, refused where friends count, or refused by generation B"),
  before: orNull(
    text("the item before, or what of it changed: a line of Move, words, names, or the module's SHA-256; null if nothing is told"),
  ),
  after: orNull(text("the same after; null if nothing is told")),
});

const replaced = {
  from_id: reference("_bytecodes", "the bytecode before"),
  to_id: reference("_bytecodes", "the bytecode after"),
};
const ofUpgrade: Reference = { columns: ["from_id", "to_id"], parent: "_judged_upgrades" };
const level = (who: string) => orNull(text(`the worst for ${who}, null when nothing concerns them`));
const amount = (of: string) => int(`findings that are ${of}`);

/** What the rules of `diff` say of changes: follows from two bytecodes, and can be said again at any time. */
export const judgedTables = tablesOf({
  judged_upgrades: {
    meaning: "Severity of replacing one bytecode of a module by another, by the rules of diff; stored once, however often it happened",
    columns: {
      ...replaced,
      rules: int("version of the rules that judged it"),
      severity: text("the worst severity: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared"),
      callers: level("modules and scripts that link against it"),
      clients: level("programs that call it through a node"),
      readers: level("programs that decode what it stores"),
      breaking: amount("breaking"),
      dangerous: amount("dangerous"),
      behaviour: amount("behaviour"),
      safe: amount("safe"),
      silent: amount("silent"),
      refused: int("number of findings for which the VM refuses the upgrade"),
      rule: orNull(text("rule of the worst finding; null if there is none")),
      item_kind: orNull(text("what the worst finding is about: module, function, struct, friend or error")),
      item: orNull(text("name of that item; null for the module itself")),
      reason: orNull(text("why the two could not be compared completely; null if they were")),
    },
    key: ["from_id", "to_id"],
    isMadeAnew: true,
    isInOrderOfWriting: true,
  },
  judged_renames: {
    meaning: "Functions that were only renamed when one bytecode of a module replaced another",
    columns: {
      ...replaced,
      item_kind: text("function or struct"),
      from_name: text("its name before"),
      to_name: text("its name after"),
    },
    key: ["from_id", "to_id", "item_kind", "from_name"],
    references: [ofUpgrade],
    isMadeAnew: true,
  },
  judged_findings: {
    meaning: "What the rules of diff find when one bytecode of a module replaces another, the worst first",
    columns: { ...replaced, position, ...findingColumns("worst severity") },
    key: ["from_id", "to_id", "position"],
    references: [ofUpgrade],
    isMadeAnew: true,
  },
});
