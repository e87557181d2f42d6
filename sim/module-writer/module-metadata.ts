import { bcsTypes } from "../../src/core/move/bcs/bcs.ts";
import type { Attribute, Compilation } from "../../src/core/move/module/metadata.ts";

/** The part of a module to write that goes into its metadata. */
export type MetadataSpec = {
  /** Which layout to use; `v1` when left out. `none` drops everything that metadata would hold. */
  readonly metadata?: "v1" | "v0" | "none";
  /** What stands before `::metadata_v1`; forks change it. */
  readonly metadataPrefix?: string;
  readonly errors?: readonly { readonly code: bigint | number; readonly name: string; readonly description: string }[];
  readonly compilation?: Compilation;
  readonly structs?: readonly Attributed[];
  readonly functions?: readonly Attributed[];
};

type Attributed = { readonly name: string; readonly attributes?: readonly { readonly kind: number; readonly args?: readonly string[] }[] };

const { bool, map, string, struct, u64, u8, vector } = bcsTypes;
const errors = map(u64, struct("ErrorDescription", { name: string, description: string }));
const attributes = map(string, vector(struct<Attribute>("KnownAttribute", { kind: u8, args: vector(string) })));
const v1 = struct("V1", { errors, structs: attributes, functions: attributes });
const v0 = struct("V0", { errors });
const compilation = struct<Compilation>("Compilation", { unstable: bool, compiler_version: string, language_version: string });

/** The rows of the metadata table; none before version 5, none when there is nothing to say. */
export function metadataEntries(spec: MetadataSpec, version: number): { readonly key: string; readonly value: Uint8Array }[] {
  if (version < 5) return [];
  const entries: { key: string; value: Uint8Array }[] = [];
  if (spec.compilation) entries.push({ key: "compilation_metadata", value: compilation.serialize(spec.compilation).toBytes() });
  if (spec.metadata === "none") return entries;
  const errorMap = new Map((spec.errors ?? []).map(({ code, name, description }) => [BigInt(code), { name, description }]));
  const structs = attributeMap(spec.structs ?? []);
  const functions = attributeMap(spec.functions ?? []);
  if (errorMap.size + structs.size + functions.size === 0) return entries;
  const prefix = spec.metadataPrefix ?? "aptos";
  if (spec.metadata === "v0") entries.push({ key: `${prefix}::metadata_v0`, value: v0.serialize({ errors: errorMap }).toBytes() });
  else entries.push({ key: `${prefix}::metadata_v1`, value: v1.serialize({ errors: errorMap, structs, functions }).toBytes() });
  return entries;
}

function attributeMap(items: readonly Attributed[]): Map<string, readonly Attribute[]> {
  const attributed = items.filter((item) => (item.attributes ?? []).length > 0);
  return new Map(attributed.map((item) => [item.name, (item.attributes ?? []).map(({ kind, args }) => ({ kind, args: args ?? [] }))]));
}
