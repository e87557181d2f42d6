import { formatNodeAbi } from "../../../core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../../core/abi/node-json/parse.ts";
import { chunks } from "../../../core/base/lists.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { Address } from "../../../core/move/address.ts";
import { compareModuleIds, formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import { lineCount } from "./code-diff.ts";
import { differenceOf, type ModuleDifference, type ModuleWithBytes, wholeModule } from "./difference.ts";

/** A module on one side: its id and the SHA-256 of its bytes, 64 hex digits. */
export type HeldModule = ModuleId & { readonly sha256: string };

/**
 * A module's bytes and interface. `partial` is the reason why only part of the interface is known, `unreadable` why none is.
 */
export type LoadedModule = { readonly partial?: string; readonly module: ModuleWithBytes } | { readonly unreadable: string };

/** A stored module as one side of a comparison. */
export function loadContent(content: StoredContent, sha256: string): LoadedModule {
  if (content.kind === "unreadable") return { unreadable: content.reason };
  if (content.kind === "decoded") return { module: { ...content.module, bytes: content.bytes, sha256 } };
  return {
    module: { abi: content.abi, functionMarks: new Map(), bytes: content.bytes, sha256 },
    partial: "its bytecode is newer than this movedex; only what a node's ABI shows was compared",
  };
}

/** One side of a comparison: a ledger at a version, or files. */
export type Side = {
  /** Its name in reports. */
  readonly label: string;
  /** The modules of the side by key, usually `0x1::coin`; modules with equal keys are compared. */
  readonly modules: ReadonlyMap<string, HeldModule>;
  /** How many more there are that are known to be alike on both sides; of the first side. */
  readonly alike?: (() => Promise<number>) | undefined;
  /** Accounts that this side covers, with or without modules; it may leave out those of the other side. Without it: its modules'. */
  readonly accounts?: (() => AsyncIterable<Address>) | undefined;
  /** Why the side does not know an account's modules; undefined if it does. */
  readonly unknown: (address: Address) => Promise<string | undefined>;
  /** Reads some of its modules at once. What it returns decodes one of them. */
  readonly load: (modules: readonly HeldModule[]) => Promise<(module: HeldModule) => LoadedModule>;
};

/** What could not be compared and why: a module (`0x1::coin`), an account (`0x1`), or everything (null). */
export type Incomparable = { readonly subject: string | null; readonly reason: string };

export type Comparison = {
  readonly before: string;
  readonly after: string;
  /** Number of modules with the same bytes on both sides. */
  readonly unchanged: number;
  /** In the order of accounts and names. */
  readonly differences: readonly ModuleDifference[];
  readonly incomparable: readonly Incomparable[];
};

/** Accounts unknown to one side that are listed by name; further ones are counted. */
const NAMED_ACCOUNTS = 100;

/** Modules of each side that are read at once, still packed: some MB. */
const READ_AT_ONCE = 100;

/** Lines of instructions that differ, of all modules together: some tens of MB. */
const CODE_LINES_MAX = 200_000;

/** A module with what each side holds of it. */
type Pair = { readonly module: ModuleId; readonly old: HeldModule | undefined; readonly now: HeldModule | undefined };

/**
 * Compares all modules of two sides, two decoded modules in memory at a time. An account that one side does not know is incomparable: its
 * modules are neither removed nor added. `withCode` adds the instructions that differ,
 * `absence` says why there is nothing on either side.
 */
export async function compareSides(
  before: Side,
  after: Side,
  withCode = false,
  absence: () => Promise<string> = async () => "neither side holds a module",
): Promise<Comparison> {
  const [differences, incomparable, pairs]: [ModuleDifference[], Incomparable[], Pair[]] = [[], [], []];
  let [unchanged, linesLeft] = [(await before.alike?.()) ?? 0, withCode ? CODE_LINES_MAX : undefined];
  for (const [id, module] of allModules(before, after)) {
    const [old, now] = [before.modules.get(id), after.modules.get(id)];
    const silent = old === undefined ? before : now === undefined ? after : undefined;
    if ((await silent?.unknown(module.address)) !== undefined) continue;
    if (old?.sha256 === now?.sha256) unchanged += 1;
    else pairs.push({ module, old, now });
  }
  for (const some of chunks(pairs, READ_AT_ONCE)) {
    const both = some.flatMap(({ old, now }) => (old === undefined || now === undefined ? [] : [{ old, now }]));
    const [was, is] = [await before.load(both.map(({ old }) => old)), await after.load(both.map(({ now }) => now))];
    for (const { module, old, now } of some) {
      if (old === undefined || now === undefined) {
        const sha256 = { before: old?.sha256 ?? null, after: now?.sha256 ?? null };
        differences.push(wholeModule({ address: module.address, name: module.name }, sha256));
        continue;
      }
      const [older, newer] = [was(old), is(now)];
      for (const [{ label }, loaded] of [[before, older] as const, [after, newer] as const]) {
        const reason = missingReason(loaded);
        if (reason !== undefined) incomparable.push({ subject: formatModuleId(now), reason: `${label}: ${reason}` });
      }
      const difference = compareLoaded(older, newer, linesLeft);
      if (difference === undefined) continue;
      differences.push(difference);
      if (linesLeft !== undefined) linesLeft -= lineCount(difference.code);
    }
  }
  incomparable.push(...(await unknownAccounts(before, after)));
  if (before.modules.size + after.modules.size + unchanged === 0 && incomparable.length === 0)
    incomparable.push({ subject: null, reason: await absence() });
  return { before: before.label, after: after.label, unchanged, differences, incomparable };
}

async function unknownAccounts(before: Side, after: Side): Promise<Incomparable[]> {
  const reasons = new Map<string, string>();
  let more = 0;
  for (const [side, other] of [
    [before, after],
    [after, before],
  ] as const) {
    for await (const address of accountsOf(side)) {
      const reason = await other.unknown(address);
      if (reason === undefined || reasons.has(address)) continue;
      if (reasons.size < NAMED_ACCOUNTS) reasons.set(address, `${other.label}: ${reason}`);
      else more += 1;
    }
  }
  const named: Incomparable[] = [...reasons].map(([subject, reason]) => ({ subject, reason }));
  return more === 0 ? named : [...named, { subject: null, reason: `${more} more accounts that one side cannot speak of` }];
}

async function* accountsOf({ accounts, modules }: Side): AsyncGenerator<Address> {
  if (accounts !== undefined) yield* accounts();
  else yield* new Set([...modules.values()].map(({ address }) => address));
}

/** Compares two versions of a module; undefined where nothing differs, or one of them cannot be read. `codeLines` as in `differenceOf`. */
export function compareLoaded(was: LoadedModule, is: LoadedModule, codeLines?: number): ModuleDifference | undefined {
  if ("unreadable" in was || "unreadable" in is) return undefined;
  const isPartial = was.partial !== undefined || is.partial !== undefined;
  const shown = isPartial ? asNodesShow : (module: ModuleWithBytes): ModuleWithBytes => module;
  return differenceOf(shown(was.module), shown(is.module), { codeLines });
}

/** Why a module cannot be compared in full; undefined if it can. */
export function missingReason(loaded: LoadedModule): string | undefined {
  return "unreadable" in loaded ? loaded.unreadable : loaded.partial;
}

/** A module reduced to what a node's ABI shows, for comparison with one that is only known from a node's ABI. */
function asNodesShow(module: ModuleWithBytes): ModuleWithBytes {
  return { ...module, abi: parseNodeAbi(formatNodeAbi(module.abi)), functionMarks: new Map() };
}

function allModules(before: Side, after: Side): (readonly [id: string, module: HeldModule])[] {
  return [...new Map([...before.modules, ...after.modules])].sort(([, a], [, b]) => compareModuleIds(a, b));
}
