export const id = { kind: "int", meaning: "number of the row inside this database" } as const;
export const ofModule = { kind: "int", meaning: "the module, by the name in its bytes", references: "_modules" } as const;
/** Another module that a row names. */
export const otherModule = { kind: "int", meaning: "the other module", references: "_modules" } as const;
export const ofAbi = { kind: "int", meaning: "the ABI", references: "_abis" } as const;
export const ofFunction = { kind: "int", meaning: "the function", references: "_functions" } as const;
export const ofStruct = { kind: "int", meaning: "the struct", references: "_structs" } as const;
export const type = { kind: "int", meaning: "the type", references: "_types" } as const;
/** The type of one thing. Most types are rare: a sample of 30,000 rows shows 13,000 where 3,200,000 have 322,000. */
export const typeOf = { ...type, distinctPerRow: 0.1 } as const;
export const position = { kind: "int", meaning: "position in the list, from 0" } as const;
/** What tells content from other content of its module. */
export const digest = (of: string) =>
  ({ kind: "bytes", meaning: `first 16 bytes of a SHA-256 over ${of}: equal content is one row` }) as const;
/** A column that is true or false. */
export const flag = (meaning: string) => ({ kind: "bool", meaning: `whether it ${meaning}` }) as const;
export const abilities = {
  has_copy: flag("has the ability copy"),
  has_drop: flag("has the ability drop"),
  has_store: flag("has the ability store"),
  has_key: flag("has the ability key"),
};
export const constraints = {
  has_copy: flag("requires the ability copy"),
  has_drop: flag("requires the ability drop"),
  has_store: flag("requires the ability store"),
  has_key: flag("requires the ability key"),
};
/** The rows of a module, among which a digest is looked for: an index of digests took a fifth of what the rows take. */
export const byModule = { columns: ["module_id"], isSought: true } as const;

export const attributes = <Id extends string, Item extends object>(item: Id, of: Item) => ({
  columns: {
    [item]: of,
    position,
    kind: {
      kind: "int",
      meaning: "kind by the module's metadata: 0 and 1 view, 2 resource group, 3 resource group member, 4 event, 5 randomness",
    },
  } as { [I in Id]: Item } & { position: typeof position; kind: { kind: "int"; meaning: string } },
  key: [item, "position"],
});

export const attributeArgs = <Id extends string, Item extends object>(item: Id, of: Item) => ({
  columns: {
    [item]: of,
    attribute: { kind: "int", meaning: "position of the attribute in its list, from 0" },
    position,
    value: { kind: "text", meaning: "the argument" },
  } as { [I in Id]: Item } & {
    attribute: { kind: "int"; meaning: string };
    position: typeof position;
    value: { kind: "text"; meaning: string };
  },
  key: [item, "attribute", "position"],
});
