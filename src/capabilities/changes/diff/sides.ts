import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import { bytecode, type ModuleArchive, type StoredModule } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { rowOf } from "../../../core/db/engine/row-shape.ts";
import { bytesOf, jsonEach } from "../../../core/db/schema/sql/functions.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { present } from "../../../core/errors.ts";
import { formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import { chooseSnapshot, unknownReason } from "../../../core/questions/snapshot-choice.ts";
import { type ChangeSummary, summarise } from "../compare/finding.ts";
import { type Comparison, compareSides, type HeldModule, loadContent, type Side } from "../compare/sides.ts";
import { type ChangedModule, changeKey, type VersionRange } from "../judge/changes.ts";
import { carriedFrom } from "./carried.ts";
import { type DiffReport, makeReport } from "./report.ts";
import { weighingAt } from "./users.ts";

export type ModuleSide = Side & {
  readonly version: bigint;
  readonly module: StoredModule | undefined;
  readonly content: StoredContent | undefined;
};

/** `Side.load` for a side whose modules are stored: `stored` has those that were found, by their names. */
export async function loadStored(
  archive: Pick<ModuleArchive, "contents">,
  stored: ReadonlyMap<string, StoredModule>,
  modules: readonly HeldModule[],
): ReturnType<Side["load"]> {
  const bytecodeOf = (module: HeldModule) => present(stored.get(formatModuleId(module)), `${formatModuleId(module)} is not held`).bytecode;
  const contentOf = await archive.contents(modules.map(bytecodeOf));
  return (module) => loadContent(contentOf(bytecodeOf(module)), module.sha256);
}

/** The module at the snapshot named: a ledger version, `latest`, `previous` or `oldest`. @throws NotHeldError, ConfigError */
export async function moduleSide(archive: ModuleArchive, id: ModuleId, snapshot: string): Promise<ModuleSide> {
  const version = await chooseSnapshot(archive, snapshot, id.address);
  const module = await archive.findModule(id, version);
  const content = module === undefined ? undefined : await archive.content(module);
  return {
    label: `ledger version ${version}`,
    version,
    module,
    content,
    modules: new Map(module === undefined ? [] : [[formatModuleId(id), module]]),
    unknown: (address) => unknownReason(archive, address, version),
    load:
      async () =>
      ({ sha256 }) =>
        loadContent(content as StoredContent, sha256),
  };
}

const stored = rowOf(bytecode);
const ofDigests = sql`SELECT ${stored.columns} FROM ${jsonEach(":digests::json", "j")} JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;

/** Compares modules before and after changes, by the rules of `diff`: each by itself, as bad as it is judged everywhere. */
export function compareChanges(archive: ModuleArchive, changes: readonly ChangedModule[]): Promise<Comparison> {
  return compareSides(sideOf(archive, "before", changes, "from"), sideOf(archive, "after", changes, "to"));
}

/** Changes between two snapshots in short, in their order, each as bad as it is for those who use what changed. */
export async function weighChanges(
  archive: ModuleArchive,
  changes: readonly ChangedModule[],
  { after, upTo }: VersionRange,
): Promise<ChangeSummary[]> {
  if (changes.length === 0) return [];
  const comparison = await compareChanges(archive, changes);
  const { weigh } = weighingAt(archive, { from: after, to: upTo }, comparison);
  const { modules, incomparable } = await makeReport(comparison, weigh, {});
  const weighed = summariesOf(modules);
  const reasonOf = ({ address, module }: ChangedModule): string | undefined =>
    incomparable.find(({ subject }) => subject === formatModuleId({ address, name: module }))?.reason;
  return changes.map((change) => ({ ...(weighed.get(changeKey(change)) ?? summarise([], undefined, [])), reason: reasonOf(change) }));
}

/** The modules of a report in short, by `changeKey`. */
export function summariesOf(modules: DiffReport["modules"]): Map<string, ChangeSummary> {
  return new Map(
    modules.map(({ module: { address, name }, sha256: { before, after }, findings, renamed }) => [
      changeKey({ address, module: name, from: before, to: after }),
      summarise(findings, undefined, renamed),
    ]),
  );
}

/** What changes break, for whom, and who refers to it. Users are those at the newest snapshot up to `upTo`. @throws StoreError */
export async function findBreaks(
  archive: ModuleArchive,
  comparison: Comparison,
  { after, upTo }: VersionRange,
): Promise<DiffReport | undefined> {
  const sealed = await readSealedVersions(archive.engine);
  const version = sealed.findLast((candidate) => candidate <= upTo) ?? sealed[0];
  if (version === undefined) return undefined;
  const { weigh, differs } = weighingAt(archive, { from: after < 0n ? undefined : after, to: version }, comparison);
  return makeReport(comparison, weigh, {
    usage: { version, ...(await archive.coverage(version)) },
    carried: await carriedFrom(archive, version, comparison.differences, differs),
  });
}

function sideOf(archive: ModuleArchive, label: string, changes: readonly ChangedModule[], end: "from" | "to"): Side {
  return {
    label,
    modules: new Map(
      changes.flatMap((change): [string, HeldModule][] => {
        const { address, module } = change;
        const sha256 = change[end];
        return sha256 === null ? [] : [[changeKey(change), { address, name: module, sha256 }]];
      }),
    ),
    unknown: async () => undefined,
    load: loadByDigest(archive),
  };
}

/** `Side.load` by SHA-256, wherever the archive has the bytes from. */
export function loadByDigest(archive: ModuleArchive): Side["load"] {
  return async (modules) => {
    const digests = JSON.stringify(modules.map(({ sha256 }) => sha256));
    // Bytes that are not held have no row.
    const bytecodes = new Map((await stored.all(archive.engine, ofDigests, { digests })).map((row) => [row.sha256, row.bytecode]));
    const contentOf = await archive.contents([...bytecodes.values()]);
    return ({ sha256 }) => {
      const bytecode = bytecodes.get(sha256);
      return bytecode === undefined ? { unreadable: "its bytes are not held" } : loadContent(contentOf(bytecode), sha256);
    };
  };
}
