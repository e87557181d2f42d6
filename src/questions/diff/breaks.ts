import { compareSides, type HeldModule, type Side } from "../../abi/compare/sides.ts";
import { weighByUsage } from "../../abi/compare/usage.ts";
import type { ModuleChange } from "../../archive/read/changes.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { carriedFrom } from "./carried.ts";
import { loadContent } from "./load-content.ts";
import { type DiffReport, makeReport } from "./report.ts";
import { usersAt } from "./users.ts";

/**
 * What changed modules break, for whom, and who refers to it, by the rules of `diff`. The first and last of a module's changes
 * count; users are those before them, where sealed. @throws StoreError
 */
export async function findBreaks(archive: ModuleArchive, changes: readonly ModuleChange[], after: bigint): Promise<DiffReport | undefined> {
  if (changes.length === 0) return undefined;
  const byModule = [...Map.groupBy(changes, ({ address, module }) => formatModuleId({ address, name: module })).values()];
  const pairs = byModule.map((of) => of.toSorted((a, b) => (a.atOrBeforeVersion < b.atOrBeforeVersion ? -1 : 1)));
  const before = sideOf(
    archive,
    "before",
    pairs.flatMap((of) => held(of[0], of[0]?.from)),
  );
  const now = sideOf(
    archive,
    "after",
    pairs.flatMap((of) => held(of[0], of.at(-1)?.to)),
  );
  const sealed = await archive.sealedVersions();
  const version = sealed.findLast((candidate) => candidate <= after) ?? sealed[0];
  const comparison = await compareSides(before, now);
  if (version === undefined) return undefined;
  const usage = { version, ...(await archive.coverage(version)) };
  const newest = sealed.at(-1) ?? version;
  const users = usersAt(archive, version);
  return makeReport(comparison, ({ module }, finding) => weighByUsage(module, finding, users), {
    audiences: undefined,
    failOn: undefined,
    usage,
    carried: await carriedFrom(archive, newest, comparison.differences),
  });
}

function held(change: ModuleChange | undefined, sha256: string | null | undefined): HeldModule[] {
  return change === undefined || sha256 === null || sha256 === undefined ? [] : [{ address: change.address, name: change.module, sha256 }];
}

/** Modules of an archive by the SHA-256 of their bytes, as one side of a comparison. */
export function sideOf(archive: ModuleArchive, label: string, modules: readonly HeldModule[]): Side {
  return {
    label,
    modules: new Map(modules.map((module) => [formatModuleId(module), module])),
    accounts: () => [],
    unknown: async () => undefined,
    load: async (module) => {
      const bytecode = await archive.bytecodeOf(module.sha256);
      if (bytecode === undefined) return { unreadable: "its bytes are not held" };
      return loadContent(await archive.content({ bytecode }), module.sha256);
    },
  };
}
