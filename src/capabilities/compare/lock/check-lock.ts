import { formatItemId, formatModuleId, itemNameOf, type ModuleId, moduleNamed, moduleNameOf } from "../../../core/move/module-id.ts";
import type { RuleFinding } from "../../changes/compare/finding.ts";
import { worstSeverity } from "../../changes/compare/severity.ts";
import { compareSides, type Incomparable, type LoadedModule, missingReason, type Side } from "../../changes/compare/sides.ts";
import { itemsOf, narrowedTo } from "../../changes/compare/usage.ts";
import { acrossModules } from "../../changes/diff/reached-effects.ts";
import { type DiffReport, makeReport } from "../../changes/diff/report.ts";
import type { OwnUses } from "../../uses/reach.ts";
import { type Modules, wholeModules } from "../sources.ts";
import { hashesOf, itemsIn } from "./hashes.ts";
import { type Lock, type ModuleHashes, RULES } from "./lock-file.ts";

/** What became of a function or struct, by its full name: `literals` only warn, and of `unknown` it cannot be told. */
export type ItemChange = {
  readonly item: string;
  readonly kind: "function" | "struct";
  readonly what: "gone" | "signature" | "effects" | "literals" | "unknown";
};

export type LockCheck = {
  readonly lock: Lock;
  /** There was no lock before, so that nothing was compared. */
  readonly isFirst?: true;
  /** What changed, in interface or in what it does; and what changed in literals and operators alone. */
  readonly changed: readonly ItemChange[];
  readonly warned: readonly ItemChange[];
  /** Modules whose bytes are others than those that were locked. */
  readonly replaced: readonly string[];
  /** What could not be compared. */
  readonly unknown: readonly Incomparable[];
  /** The changes of modules between the two states, as far as they concern what is reached; undefined where there are none. */
  readonly report: DiffReport | undefined;
};

export function lockVerdict({ changed, unknown }: LockCheck): "breaking" | "incomparable" | "done" {
  return changed.length > 0 ? "breaking" : unknown.length > 0 ? "incomparable" : "done";
}

/**
 * Compares what was locked with what is there now. Under other rules both are hashed again: then the locked bytes are needed, which
 * `locked` has, as they are for the findings. `uses` is what the build names now, where that is known.
 */
export async function checkLock(lock: Lock, locked: Modules, now: Modules, uses: OwnUses = lock.uses): Promise<LockCheck> {
  const ids = [...lock.modules.keys()];
  const unknown = notLocked(lock, uses);
  const replaced: string[] = [];
  for (const id of ids) {
    const loaded = await now.load(id);
    const reason = loaded && missingReason(loaded);
    if (reason !== undefined) unknown.push({ subject: id, reason: `${now.label}: ${reason}` });
    else if (shaOf(loaded) !== lock.modules.get(id)?.sha256) replaced.push(id);
  }
  const nothing = { lock, changed: [], warned: [], replaced, unknown, report: undefined };
  if (replaced.length === 0) return nothing;
  const was = lock.rules === RULES ? lock.modules : await hashedAgain(lock, locked, unknown);
  if (was === undefined) return nothing;
  const is = await hashesOf(itemsIn(lock.modules), lock.uses.own, wholeModules(now));
  const isUnknown = new Set(unknown.map(({ subject }) => subject));
  const changes = [...was].flatMap(([id, hashes]) => (isUnknown.has(id) ? [] : changesOf(id, hashes, is.get(id))));
  const named = new Set([...lock.uses.functions, ...itemsIn(lock.modules, "structs")]);
  for (const { item, what } of changes)
    if (what === "unknown" && named.has(item)) unknown.push({ subject: item, reason: "what it does is more than can be followed" });
  // What only others call is theirs: what they do by it is among their effects.
  const changed = changes.filter(({ item, what }) => what !== "literals" && what !== "unknown" && named.has(item));
  const warned = changes.filter(({ what }) => what === "literals");
  if (changed.length + warned.length === 0) return nothing;
  return { ...nothing, changed, warned, report: await changelog(lock, locked, now, replaced, changes) };
}

/** What the build names and the lock does not have. */
function notLocked({ modules }: Lock, uses: OwnUses): Incomparable[] {
  const isLocked = (item: string): boolean => {
    const locked = modules.get(moduleNameOf(item));
    return locked?.functions.has(itemNameOf(item)) === true || locked?.structs.has(itemNameOf(item)) === true;
  };
  const reason = "the build uses it, and it is not locked: `movedex lock --update` with the build locks it";
  return [...uses.functions, ...uses.structs].filter((item) => !isLocked(item)).map((subject) => ({ subject, reason }));
}

/** The hashes of what was locked by the rules of now; undefined, with the reason, where its bytes are not held. */
async function hashedAgain(lock: Lock, locked: Modules, unknown: Incomparable[]): Promise<ReadonlyMap<string, ModuleHashes> | undefined> {
  const before = unknown.length;
  for (const id of lock.modules.keys()) {
    const loaded = await locked.load(id);
    const reason = loaded && missingReason(loaded);
    if (reason !== undefined) unknown.push({ subject: id, reason: `it was locked under rules ${lock.rules}, and ${reason}` });
  }
  return unknown.length > before ? undefined : hashesOf(itemsIn(lock.modules), lock.uses.own, wholeModules(locked));
}

function changesOf(id: string, was: ModuleHashes, is: ModuleHashes | undefined): ItemChange[] {
  const structs = [...was.structs].flatMap(([name, hash]): ItemChange[] => {
    const now = is?.structs.get(name);
    return now === hash ? [] : [{ item: `${id}::${name}`, kind: "struct", what: now === undefined ? "gone" : "signature" }];
  });
  const functions = [...was.functions].flatMap(([name, hashes]): ItemChange[] => {
    const [item, now] = [`${id}::${name}`, is?.functions.get(name)];
    const change = (what: ItemChange["what"]): ItemChange[] => [{ item, kind: "function", what }];
    if (now === undefined) return change("gone");
    if (now.signature !== hashes.signature) return change("signature");
    if (now.effects === null || hashes.effects === null) return change("unknown");
    if (now.effects !== hashes.effects) return change("effects");
    return now.literals === hashes.literals ? [] : change("literals");
  });
  return [...functions, ...structs];
}

/** The findings of `diff` on what is reached, each at its cause. */
async function changelog(
  lock: Lock,
  locked: Modules,
  now: Modules,
  replaced: readonly string[],
  changes: readonly ItemChange[],
): Promise<DiffReport> {
  const reached = new Set(itemsIn(lock.modules));
  const changedNow = new Set(changes.flatMap(({ item, what }) => (what === "literals" ? [] : [item])));
  const weigh = async (module: ModuleId, finding: RuleFinding): Promise<RuleFinding> => {
    const isConcerned = ({ kind, name }: RuleFinding["item"]): boolean =>
      kind === "friend" ? lock.uses.own.includes(name ?? "") : name !== null && reached.has(formatItemId({ module, name }));
    const found = await acrossModules(module, narrowedTo(finding, isConcerned), async (fn) => changedNow.has(fn));
    const isSaid = itemsOf(finding).some(isConcerned) ? worstSeverity(found.severity) !== "silent" : finding.rule === "module-removed";
    // It has happened: whether the VM allowed it is no question here. What is of no severity is left out.
    return { ...found, upgrade: "allowed", ...(isSaid ? {} : { severity: {} }) };
  };
  return makeReport(await compareSides(await sideOf(locked, replaced), await sideOf(now, replaced)), weigh, {});
}

async function sideOf({ label, load }: Modules, ids: readonly string[]): Promise<Side> {
  const loaded = new Map<string, LoadedModule>();
  for (const id of ids) {
    const module = await load(id);
    if (module !== undefined) loaded.set(id, module);
  }
  return {
    label,
    modules: new Map(Array.from(loaded, ([id, module]) => [id, { ...moduleNamed(id), sha256: shaOf(module) ?? "" }])),
    unknown: async () => undefined,
    load: async () => (held) => loaded.get(formatModuleId(held)) as LoadedModule,
  };
}

function shaOf(loaded: LoadedModule | undefined): string | undefined {
  return loaded === undefined || "unreadable" in loaded ? undefined : loaded.module.sha256;
}
