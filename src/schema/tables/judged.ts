import type { TableData } from "../table.ts";

const bytecode = { kind: "int", references: "_bytecodes" } as const;
const level = (who: string) =>
  ({ kind: "text", meaning: `the worst for ${who}, null when nothing concerns them`, nullable: true }) as const;
const amount = (of: string) => ({ kind: "int", meaning: `findings that are ${of}` }) as const;

/** What the rules of `diff` say of changes: follows from two bytecodes, and can be said again at any time. */
export const judgedTables = {
  judged_changes: {
    name: "_judged_changes",
    meaning: "How bad it is that one bytecode of a module replaced another, by the rules of diff; once however often that happened",
    columns: {
      from_id: { ...bytecode, meaning: "the bytecode before" },
      to_id: { ...bytecode, meaning: "the bytecode after" },
      rules: { kind: "int", meaning: "version of the rules that judged it" },
      severity: {
        kind: "text",
        meaning:
          "the worst of its findings: breaking, dangerous, behaviour, safe or silent; unclear when there is none, since the two could not be compared",
      },
      callers: level("modules and scripts that link against it"),
      clients: level("programs that call it through a node"),
      readers: level("programs that decode what it stores"),
      breaking: amount("breaking"),
      dangerous: amount("dangerous"),
      behaviour: amount("behaviour"),
      safe: amount("safe"),
      silent: amount("silent"),
      refused: { kind: "int", meaning: "findings for which the VM refuses an upgrade" },
      rule: { kind: "text", meaning: "rule of the worst finding, null when there is none", nullable: true },
      item_kind: { kind: "text", meaning: "the kind of that item: module, function, struct, friend or error", nullable: true },
      item: { kind: "text", meaning: "name of what it is about, null for the module itself", nullable: true },
      reason: { kind: "text", meaning: "why the two could not be compared, or not in full; null if they were", nullable: true },
    },
    key: ["from_id", "to_id"],
    isInOrderOfWriting: true,
  },
  judged_renames: {
    name: "_judged_renames",
    meaning: "Functions and structs that only have another name since one bytecode of a module replaced another",
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
