/** How a column kind is kept by each dialect, and what it means to a reader of the schema. */
export type KindData = { readonly sqlite: "text" | "integer" | "blob"; readonly meaning: string };

/** The closed list of column kinds. Every column of every table is one of these; each dialect says how it keeps them. */
export const kinds = {
  text: { sqlite: "text", meaning: "text, compared byte by byte" },
  int: { sqlite: "integer", meaning: "whole number below 2^53" },
  version: { sqlite: "integer", meaning: "ledger version, below 2^63" },
  u64: { sqlite: "text", meaning: "u64 as canonical decimal text" },
  bytes: { sqlite: "blob", meaning: "bytes" },
  json: { sqlite: "text", meaning: "JSON text" },
  bool: { sqlite: "integer", meaning: "0 or 1" },
  time: { sqlite: "integer", meaning: "milliseconds since 1970, UTC" },
} as const satisfies Record<string, KindData>;

/** The name of a column kind. */
export type Kind = keyof typeof kinds;

/** The JavaScript value of a column kind. */
export type KindValue<K extends Kind> = {
  text: string;
  int: number;
  version: bigint;
  u64: bigint;
  bytes: Uint8Array;
  json: unknown;
  bool: boolean;
  time: number;
}[K];
