import type { Address } from "../../../core/move/address.ts";
import { formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import type { ModuleWithBytes } from "../../changes/compare/difference.ts";
import { type FindModule, findLinkProblems, type LinkedModule, type LinkProblem } from "../../changes/compare/linking.ts";
import type { FailLevel } from "../../changes/compare/severity.ts";
import { compareSides, type Incomparable, missingReason, type Side } from "../../changes/compare/sides.ts";
import { type DiffReport, hasFailing, makeReport } from "../../changes/diff/report.ts";
import { judgedBy, type Ledger, UNREAD } from "../archive-ledger.ts";
import { ledgerModules } from "../sources.ts";

/** A build: its modules, and those that it was built against; undefined if it has no copies of them. */
export type Build = { readonly modules: Side; readonly dependencies: Side | undefined };

/** What would happen if a build were published. */
export type BuildCheck = {
  /** The modules on the ledger against those of the build: what the VM refuses, and whom of the ledger it breaks. */
  readonly upgrade: DiffReport;
  /** What the build uses of other modules and the VM would not link. */
  readonly links: readonly LinkProblem[];
  /** Uses of other modules that could not be checked. */
  readonly unlinked: readonly Incomparable[];
  /** Modules of the build's accounts that it lacks. If they are of the same package, the chain refuses the upgrade. */
  readonly missing: readonly ModuleId[];
};

/**
 * Checks a build against a ledger: would the VM accept the upgrade, does it link, whom does it break?
 * `failOn` is the level from which findings count as failures.
 */
export async function checkBuild(build: Build, ledger: Ledger, failOn: FailLevel): Promise<BuildCheck> {
  const { own, unreadable } = await loadAll(build.modules);
  const held = await ledger.side(build.modules.modules.values());
  const unknown = async (address: Address): Promise<string | undefined> => {
    const why = await held.unknown(address);
    return why === UNREAD ? `${why}; if it has no modules yet, say --first, else \`movedex targets add ${address}\` has it read` : why;
  };
  const before = { ...held, unknown };
  const comparison = await compareSides(before, build.modules);
  const { weigh, carried } = ledger.weighing(own, comparison.differences);
  const upgrade = await makeReport(comparison, (of, finding) => weigh(of, judgedBy(ledger.handlesCount, finding)), {
    failOn,
    usage: ledger.usage,
    carried: await carried(),
  });
  const { found, unlinked } = await findAround(own, ledger);
  const find: FindModule = (id) => found.get(formatModuleId(id));
  const links = [...own.values()].flatMap(({ bytes }) => findLinkProblems(bytes, find));
  return {
    upgrade,
    links,
    unlinked: [...unreadable, ...unlinked],
    missing: await missingModules(build.modules, ledger),
  };
}

/** How a check ends: the VM would refuse it or it breaks something, not everything could be checked, or neither. */
export function verdictOf({ upgrade, links, unlinked }: BuildCheck): "breaking" | "incomparable" | "done" {
  if (links.length > 0 || hasFailing(upgrade)) return "breaking";
  return unlinked.length > 0 || upgrade.incomparable.length > 0 ? "incomparable" : "done";
}

async function loadAll(side: Side): Promise<{ own: ReadonlyMap<string, ModuleWithBytes>; unreadable: Incomparable[] }> {
  const own = new Map<string, ModuleWithBytes>();
  const unreadable: Incomparable[] = [];
  const contentOf = await side.load([...side.modules.values()]);
  for (const [id, module] of side.modules) {
    const content = contentOf(module);
    if ("module" in content) own.set(id, content.module);
    else unreadable.push({ subject: id, reason: `the build's bytecode cannot be read: ${content.unreadable}` });
  }
  return { own, unreadable };
}

/** The modules of the build and what they depend on, as far as the ledger holds it; null for what is not known, which is told. */
async function findAround(own: ReadonlyMap<string, ModuleWithBytes>, ledger: Ledger) {
  const found = new Map<string, LinkedModule | null>(own);
  const unlinked: Incomparable[] = [];
  const { load } = await ledgerModules(ledger);
  for (const id of new Set([...own.values()].flatMap(({ abi }) => abi.dependencies.map(formatModuleId)))) {
    const loaded = own.has(id) ? undefined : await load(id);
    if (loaded === undefined) continue;
    const reason = missingReason(loaded);
    if ("unreadable" in loaded) found.set(id, null);
    else found.set(id, reason === undefined ? loaded.module : { abi: loaded.module.abi });
    if (reason !== undefined) unlinked.push({ subject: id, reason: `what the build uses of it is not checked: ${reason}` });
  }
  return { found, unlinked };
}

async function missingModules({ modules }: Side, ledger: Ledger): Promise<ModuleId[]> {
  const accounts = new Set(Array.from(modules.values(), ({ address }) => address));
  const missing: ModuleId[] = [];
  for (const account of accounts) missing.push(...(await ledger.modulesOf(account)).filter((id) => !modules.has(formatModuleId(id))));
  return missing.map(({ address, name }) => ({ address, name }));
}
