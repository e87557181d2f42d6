import { listNames, WHOLE_MODULE } from "../../abi/compare/finding.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import type { PublishProblem } from "../../abi/publish/problem.ts";
import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import { bcsTypes, readBcs } from "../../move/bcs/bcs.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";

/** What a compiler says of a package beside its modules: `package-metadata.bcs`. */
export type PackageMetadata = {
  readonly name: string;
  /** 0 arbitrary, 1 compatible, 2 immutable. */
  readonly policy: number;
  readonly modules: readonly string[];
  /** The packages that it depends on, by account. */
  readonly dependencies: readonly { readonly account: Address; readonly name: string }[];
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

/** Reads a package's metadata. Source: aptos-core `aptos-move/framework/src/natives/code.rs` (PackageMetadata). @throws DecodeError */
export function readPackageMetadata(content: Uint8Array): PackageMetadata {
  const { name, policy, modules, deps } = readBcs(metadata, content, "package-metadata.bcs");
  const dependencies = deps.map(({ account, package_name }) => ({ account, name: package_name }));
  return { name, policy, modules: modules.map((module) => module.name), dependencies };
}

/** Checks a package's metadata against the modules beside it, and against the accounts that are known to hold no modules. */
export function checkPackage(
  { policy, modules, dependencies }: PackageMetadata,
  own: readonly ModuleAbi[],
  empty: ReadonlySet<Address>,
): PublishProblem[] {
  const [first] = own;
  if (first === undefined) return [];
  const problem = (rule: PublishProblem["rule"], reason: string, { address, name }: ModuleId = first): PublishProblem => {
    return { rule, module: { address, name }, item: WHOLE_MODULE, reason };
  };
  const named = new Set([...own.map(({ address }) => address), ...dependencies.map(({ account }) => account)]);
  const held = new Set(own.map(({ name }) => name));
  const unheld = listNames(modules.filter((name) => !held.has(name)));
  const unnamed = listNames([...held].filter((name) => !modules.includes(name)));
  return [
    ...(unheld === null ? [] : [problem("package-modules", `its metadata names ${unheld}, and there is no such file`)]),
    ...(unnamed === null ? [] : [problem("package-modules", `its metadata does not name ${unnamed}`)]),
    ...own.flatMap((module) =>
      module.dependencies
        .filter((used) => !named.has(used.address))
        .map((used) =>
          problem("package-dependency", `it uses ${formatModuleId(used)}, and the metadata depends on no package of that account`, module),
        ),
    ),
    ...dependencies
      .filter(({ account }) => empty.has(account) && !own.some(({ address }) => address === account))
      .map(({ account, name }) =>
        problem("package-dependency-missing", `it depends on the package ${printable(name, 100)} of ${account}, which holds no modules`),
      ),
    ...(policy === 0 ? [problem("package-policy", "its policy is arbitrary")] : []),
  ];
}
