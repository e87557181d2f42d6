import { listNames } from "../../abi/compare/finding.ts";
import type { PublishProblem } from "../../abi/publish/problem.ts";
import { bcsTypes, readBcs } from "../../move/bcs/bcs.ts";
import type { ModuleId } from "../../move/types/types.ts";

/** What a compiler says of a package beside its modules: `package-metadata.bcs`. */
export type PackageMetadata = {
  readonly name: string;
  /** 0 arbitrary, 1 compatible, 2 immutable. */
  readonly policy: number;
  readonly modules: readonly string[];
};

const { address, bytes, option, string, struct, u64, u8, vector } = bcsTypes;
const any = option(struct("Any", { type_name: string, data: bytes }));
const metadata = struct("PackageMetadata", {
  name: string,
  policy: u8,
  upgrade_number: u64,
  source_digest: string,
  manifest: bytes,
  modules: vector(struct("ModuleMetadata", { name: string, source: bytes, source_map: bytes, extension: any })),
  deps: vector(struct("PackageDep", { account: address, package_name: string })),
  extension: any,
});

/**
 * Reads the metadata of a package. Source: aptos-core `aptos-move/framework/src/natives/code.rs` (PackageMetadata).
 * @throws DecodeError
 */
export function readPackageMetadata(content: Uint8Array): PackageMetadata {
  const { name, policy, modules } = readBcs(metadata, content, "package-metadata.bcs");
  return { name, policy, modules: modules.map((module) => module.name) };
}

/** Checks a package's metadata against the modules beside it. */
export function checkPackage({ policy, modules }: PackageMetadata, own: readonly ModuleId[]): PublishProblem[] {
  const [first] = own;
  if (first === undefined) return [];
  const problem = (rule: PublishProblem["rule"], reason: string): PublishProblem => ({
    rule,
    module: first,
    item: { kind: "module", name: null },
    reason,
  });
  const held = new Set(own.map(({ name }) => name));
  const [unheld, unnamed] = [modules.filter((name) => !held.has(name)), [...held].filter((name) => !modules.includes(name))];
  return [
    ...(unheld.length > 0 ? [problem("package-modules", `its metadata names ${listNames(unheld)}, and there is no such file`)] : []),
    ...(unnamed.length > 0 ? [problem("package-modules", `its metadata does not name ${listNames(unnamed)}`)] : []),
    ...(policy === 0 ? [problem("package-policy", "its policy is arbitrary")] : []),
  ];
}
