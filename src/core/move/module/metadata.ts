import { ifDecodable } from "../decode-error.ts";
import { listOf, mapOf, type Read, readBcs, readText } from "./bcs.ts";
import type { MetadataEntry } from "./tables.ts";

/** An attribute of a struct or function. The kind determines the meaning of the arguments. */
export type Attribute = { readonly kind: number; readonly args: readonly string[] };

export type ModuleMetadata = {
  /** By abort reason. */
  readonly errors: ReadonlyMap<bigint, { readonly code_name: string; readonly code_description: string }>;
  /** By struct name. */
  readonly structAttributes: ReadonlyMap<string, readonly Attribute[]>;
  /** By function name. */
  readonly functionAttributes: ReadonlyMap<string, readonly Attribute[]>;
};

export type Compilation = { readonly unstable: boolean; readonly compiler_version: string; readonly language_version: string };

const readErrors = mapOf(
  (cursor) => cursor.fixedU64(),
  (cursor) => ({ code_name: readText(cursor), code_description: readText(cursor) }),
);
const readAttributes = mapOf(
  readText,
  listOf<Attribute>((cursor) => ({ kind: cursor.u8(), args: listOf(readText)(cursor) })),
);
const readV1: Read<ModuleMetadata> = (cursor) => ({
  errors: readErrors(cursor),
  structAttributes: readAttributes(cursor),
  functionAttributes: readAttributes(cursor),
});
const readCompiler: Read<Compilation> = (cursor) => ({
  unstable: cursor.u8() === 1,
  compiler_version: readText(cursor),
  language_version: readText(cursor),
});

const EMPTY: ModuleMetadata = { errors: new Map(), structAttributes: new Map(), functionAttributes: new Map() };

/**
 * Decodes the metadata of a module of bytecode version `version`; what does not decode counts as absent, as for the node. Up to
 * version 5 attributes are ignored. Source: aptos-core `types/src/vm/module_metadata.rs`.
 */
export function readMetadata(entries: readonly MetadataEntry[], version: number): ModuleMetadata {
  const v1 = find(entries, "::metadata_v1");
  const v0 = v1 ?? find(entries, "::metadata_v0");
  const decoded = v0 && ifDecodable(() => (v1 ? readBcs(readV1, v1) : { ...EMPTY, errors: readBcs(readErrors, v0) }));
  return version <= 5 ? { ...EMPTY, errors: decoded?.errors ?? EMPTY.errors } : (decoded ?? EMPTY);
}

/** The compiler that built the module, if its metadata names one. Source: `move-core/types/src/metadata.rs`. */
export function readCompilation(entries: readonly MetadataEntry[]): Compilation | undefined {
  const entry = entries.find(({ key }) => key === "compilation_metadata");
  return entry && ifDecodable(() => readBcs(readCompiler, entry.value));
}

/** The value under the key of Aptos, else under that of a fork, which renames the part before `::`. */
function find(entries: readonly MetadataEntry[], suffix: string): Uint8Array | undefined {
  return (entries.find(({ key }) => key === `aptos${suffix}`) ?? entries.find(({ key }) => key.endsWith(suffix)))?.value;
}
