import { packageVersion } from "../../base/files/package-file.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { PageArchive } from "../page-archive.ts";
import type { SiteItems } from "./search-parts.ts";
import { unitOf } from "./site-links.ts";
import type { SiteWorld } from "./site-world.ts";

/** Points of an account's curve: older snapshots are not shown of it. */
const POINTS = 400;

/**
 * The inputs of each module's and account's files, as a digest by the unit's name. The files are the same while the digest is. It covers
 * everything that the page handlers ask the archive for, which `test/pages/site/site.test.ts` lists:
 *
 * - the program's version and code, options and chain;
 * - the module's own versions and changes, and how it stands in the newest snapshot;
 * - the seals of the older snapshots that its pages show, in the place of all that these hold;
 * - how each module stands that any of its versions refers to, or that refers to any of them;
 * - of an account its modules' digests, its records and its new keys.
 */
export async function readInputs(
  { modules, store }: PageArchive,
  world: SiteWorld,
  items: SiteItems,
  { baseUrl, code }: { readonly baseUrl: string | undefined; readonly code: string },
): Promise<ReadonlyMap<string, string>> {
  const general = digestOf([packageVersion(), code, baseUrl, world.chainId, (await store.derivedBy()).toSorted()]);
  const seals = new Map<bigint | undefined, unknown>();
  for (const { ledgerVersion, digest, accounts, gaps, ledgerTime, ledgerTimeErrorMs } of await store.listSnapshots())
    seals.set(ledgerVersion, [digest, accounts, gaps, ledgerTime, ledgerTimeErrorMs]);
  const stretch = { after: -1n, upTo: world.newest };
  const changes = await gather(store.moduleChanges(stretch), ({ address, module, summary: _, ...change }) => [
    formatModuleId({ address, name: module }),
    change,
  ]);
  const keys = await gather(store.keyRotations(stretch), ({ address, ...rotation }) => [address, rotation]);
  const changedAt = new Map<Address, bigint>();
  const records = await gather(store.recordSpans(), ({ address, ...span }) => {
    if (span.key !== null && span.from > (changedAt.get(address) ?? -1n)) changedAt.set(address, span.from);
    return [address, span];
  });
  const around = await readAround(store);

  const shownAt = (address: Address): unknown => {
    const version = world.accounts.get(address);
    return version === world.newest ? "newest" : [version, seals.get(version)];
  };
  const covered = new Map<Address, boolean>();
  const standing = async (id: string): Promise<unknown> => {
    const address = id.slice(0, id.indexOf("::")) as Address;
    const module = world.modules.get(id);
    if (module !== undefined) return [module.from, module.bytes, module.stands, shownAt(address), items.get(id)];
    const isCovered = covered.get(address) ?? (await modules.newestCovering(address)) !== undefined;
    covered.set(address, isCovered);
    return [isCovered, world.accounts.has(address)];
  };

  const inputs = new Map<string, string>();
  const ofAccount = new Map<Address, string[]>();
  for (const [id, module] of world.modules) {
    const others: unknown[] = [];
    for (const other of [...(around.get(id) ?? [])].sort()) others.push(other, await standing(other));
    const own = [id, await standing(id), module.from.map((version) => seals.get(version)), changes.get(id)?.sort()];
    const digest = digestOf([general, own, others]);
    inputs.set(unitOf(module), digest);
    append(ofAccount, module.address, digest);
  }
  for (const address of world.accounts.keys()) {
    const spans = records.get(address)?.sort() ?? [];
    // A record that changed is a curve through the snapshots up to that change.
    const last = spans.length < 3 ? -1n : (changedAt.get(address) ?? -1n);
    const curve = last > 0n && world.nights.size > POINTS ? world.newest : [...world.nights].filter((night) => night <= last);
    const own = [address, shownAt(address), ofAccount.get(address)?.sort(), keys.get(address)?.sort(), spans, curve];
    inputs.set(unitOf(address), digestOf([general, own]));
  }
  return inputs;
}

/** Values by a name, each as text. */
async function gather<T>(
  all: AsyncIterable<T>,
  entryOf: (one: T) => readonly [name: string, value: unknown],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const one of all) {
    const [name, value] = entryOf(one);
    append(found, name, textOf(value));
  }
  return found;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** For each module those that it refers to, and those that refer to it. */
async function readAround(store: PageArchive["store"]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const around = new Map<string, Set<string>>();
  // A name is one string in all sets: a million of them are references.
  const names = new Map<string, string>();
  const link = (from: string, to: string): void => {
    const known = around.get(from);
    if (known === undefined) around.set(from, new Set([to]));
    else known.add(to);
  };
  for await (const { address, name, otherAddress, otherName } of store.references()) {
    const [a, b] = [formatModuleId({ address, name }), formatModuleId({ address: otherAddress, name: otherName })].map((id) => {
      const known = names.get(id);
      if (known === undefined) names.set(id, id);
      return known ?? id;
    }) as [string, string];
    link(a, b);
    link(b, a);
  }
  return around;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}

function digestOf(value: unknown): string {
  return sha256Hex(textOf(value)).slice(0, 32);
}
