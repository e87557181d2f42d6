import { ifDecodable } from "../decode-error.ts";
import { readMap, readString, readVector } from "./bcs.ts";
import { Cursor } from "./cursor.ts";
import type { MetadataEntry } from "./pools.ts";

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

const readErrors = (cursor: Cursor) =>
  readMap(
    cursor,
    (key) => key.fixedU64(),
    (value) => ({ code_name: readString(value), code_description: readString(value) }),
  );
const readAttribute = (cursor: Cursor): Attribute => ({ kind: cursor.u8(), args: readVector(cursor, readString) });
const readAttributes = (cursor: Cursor) => readMap(cursor, readString, (value) => readVector(value, readAttribute));
const readV1 = (cursor: Cursor): ModuleMetadata => ({
  errors: readErrors(cursor),
  structAttributes: readAttributes(cursor),
  functionAttributes: readAttributes(cursor),
});
const readV0 = (cursor: Cursor): ModuleMetadata => ({ ...EMPTY, errors: readErrors(cursor) });

const EMPTY: ModuleMetadata = { errors: new Map(), structAttributes: new Map(), functionAttributes: new Map() };

/**
 * Decodes the metadata of a module of bytecode version `version`; what does not decode counts as absent, as for the node. Up to
 * version 5 attributes are ignored. Source: aptos-core `types/src/vm/module_metadata.rs`.
 */
export function readMetadata(entries: readonly MetadataEntry[], version: number): ModuleMetadata {
  const v1 = find(entries, "::metadata_v1");
  const decoded = v1 ? readWhole(v1, readV1) : readWhole(find(entries, "::metadata_v0"), readV0);
  if (decoded === undefined) return EMPTY;
  return version <= 5 ? { ...EMPTY, errors: decoded.errors } : decoded;
}

/** The compiler that built the module, if its metadata names one. Source: `move-core/types/src/metadata.rs`. */
export function readCompilation(entries: readonly MetadataEntry[]): Compilation | undefined {
  return readWhole(entries.find(({ key }) => key === "compilation_metadata")?.value, (cursor) => ({
    unstable: cursor.uleb(1) === 1,
    compiler_version: readString(cursor),
    language_version: readString(cursor),
  }));
}

/** What `read` makes of all the bytes; undefined where that cannot be, or bytes are left. */
function readWhole<T>(bytes: Uint8Array | undefined, read: (cursor: Cursor) => T): T | undefined {
  if (bytes === undefined) return undefined;
  const cursor = new Cursor(bytes);
  const value = ifDecodable(() => read(cursor));
  return cursor.more ? undefined : value;
}

/** The value under the key of Aptos, else under that of a fork, which renames the part before `::`. */
function find(entries: readonly MetadataEntry[], suffix: string): Uint8Array | undefined {
  return (entries.find(({ key }) => key === `aptos${suffix}`) ?? entries.find(({ key }) => key.endsWith(suffix)))?.value;
}
