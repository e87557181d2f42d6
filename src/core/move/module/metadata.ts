import { bcsTypes, readBcs } from "../bcs/bcs.ts";
import { ifDecodable } from "../decode-error.ts";
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

const { bool, map, string, struct, u64, u8, vector } = bcsTypes;

const errorMap = map(u64, struct("ErrorDescription", { code_name: string, code_description: string }));
const attributes = map(string, vector(struct("KnownAttribute", { kind: u8, args: vector(string) })));
const metadataV1 = struct("RuntimeModuleMetadataV1", { error_map: errorMap, struct_attributes: attributes, fun_attributes: attributes });
const metadataV0 = struct("RuntimeModuleMetadata", { error_map: errorMap });
const compilation = struct("CompilationMetadata", { unstable: bool, compiler_version: string, language_version: string });

const EMPTY: ModuleMetadata = { errors: new Map(), structAttributes: new Map(), functionAttributes: new Map() };

/**
 * Decodes the metadata of a module of bytecode version `version`; what does not decode counts as absent, as for the node. Up to
 * version 5 attributes are ignored. Source: aptos-core `types/src/vm/module_metadata.rs`.
 */
export function readMetadata(entries: readonly MetadataEntry[], version: number): ModuleMetadata {
  const v1 = find(entries, "::metadata_v1");
  if (v1) {
    const decoded = ifDecodable(() => readBcs(metadataV1, v1, "metadata_v1"));
    if (!decoded) return EMPTY;
    if (version <= 5) return { ...EMPTY, errors: decoded.error_map };
    return { errors: decoded.error_map, structAttributes: decoded.struct_attributes, functionAttributes: decoded.fun_attributes };
  }
  const v0 = find(entries, "::metadata_v0");
  const decoded = v0 && ifDecodable(() => readBcs(metadataV0, v0, "metadata_v0"));
  return decoded ? { ...EMPTY, errors: decoded.error_map } : EMPTY;
}

/** The compiler that built the module, if its metadata names one. Source: `move-core/types/src/metadata.rs`. */
export function readCompilation(entries: readonly MetadataEntry[]): Compilation | undefined {
  const entry = entries.find(({ key }) => key === "compilation_metadata");
  return entry && ifDecodable(() => readBcs(compilation, entry.value, "compilation_metadata"));
}

/** The value under the key of Aptos, else under that of a fork, which renames the part before `::`. */
function find(entries: readonly MetadataEntry[], suffix: string): Uint8Array | undefined {
  return (entries.find(({ key }) => key === `aptos${suffix}`) ?? entries.find(({ key }) => key.endsWith(suffix)))?.value;
}
