import type { TableData } from "../table.ts";

const bytecode = { kind: "int", references: "_bytecodes" } as const;
const level = (who: string) =>
  ({ kind: "text", meaning: `the worst for ${who}, null when nothing concerns them`, nullable: true }) as const;
const amount = (of: string) => ({ kind: "int", meaning: `findings that are ${of}` }) as const;

/** What the rules of `diff` say of changes: follows from two bytecodes, and can be said again at any time. */
export const judgedTables = {
  judged_changes: {
    name: "_judged_changes",
    meaning: "Severity of replacing one bytecode of a module by another, by the rules of diff; stored once, however often it happened",
    columns: {
      from_id: { ...bytecode, meaning: "the bytecode before" },
      to_id: { ...bytecode, meaning: "the bytecode after" },
      rules: { kind: "int", meaning: "version of the rules that judged it" },
      severity: {
        kind: "text",
        meaning: "the worst severity: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared",
      },
      callers: level("modules and scripts that link against it"),
      clients: level("programs that call it through a node"),
      readers: level("programs that decode what it stores"),
      breaking: amount("breaking"),
      dangerous: amount("dangerous"),
      behaviour: amount("behaviour"),
      safe: amount("safe"),
      silent: amount("silent"),
      refused: { kind: "int", meaning: "number of findings for which the VM refuses the upgrade" },
      rule: { kind: "text", meaning: "rule of the worst finding; null if there is none", nullable: true },
      item_kind: { kind: "text", meaning: "what the worst finding is about: module, function, struct, friend or error", nullable: true },
      item: { kind: "text", meaning: "name of that item; null for the module itself", nullable: true },
      reason: { kind: "text", meaning: "why the two could not be compared completely; null if they were", nullable: true },
    },
    key: ["from_id", "to_id"],
    isInOrderOfWriting: true,
  },
  judged_renames: {
    name: "_judged_renames",
    meaning: "Functions and structs that were only renamed when one bytecode of a module replaced another",
    columns: {
      from_id: { ...bytecode, meaning: "the bytecode before" },
      to_id: { ...bytecode, meaning: "the bytecode after" },
      item_kind: { kind: "text", meaning: "function or struct" },
      from_name: { kind: "text", meaning: "its name before" },
      to_name: { kind: "text", meaning: "its name after" },
    },
    key: ["from_id", "to_id", "item_kind", "from_name"],
  },
} as const satisfies Record<string, TableData>;
