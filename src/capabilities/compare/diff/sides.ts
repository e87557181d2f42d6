import { statSync } from "node:fs";
import { basename } from "node:path";
import { plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { isModuleFile, lacksModuleFiles, moduleFilesIn, readModuleFile } from "../../../core/cli/options/module-file.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import {
  inOrder,
  type ModuleArchive,
  moduleRows,
  openModuleArchive,
  type StoredModule,
  standing,
  storedModule,
} from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { countOf } from "../../../core/db/engine/row-shape.ts";
import { includesVersion } from "../../../core/db/schema/sql/predicates.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { Address } from "../../../core/move/address.ts";
import { readSelfId } from "../../../core/move/module/self-id.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { chooseSnapshot, namesSnapshot, unknownReason } from "../../../core/questions/snapshot-choice.ts";
import { type HeldModule, loadContent, type Side } from "../../changes/compare/sides.ts";
import { loadStored } from "../../changes/diff/sides.ts";

/** A side of `diff`. `archive` is set for a snapshot of a database, `isFile` for a single file. */
export type OpenSide = Side & {
  readonly archive?: { readonly archive: ModuleArchive; readonly version: bigint };
  readonly isFile: boolean;
};

/** The part of a side to compare: an account, or one of its modules; everything when undefined. */
export type SideFilter = { readonly address: Address; readonly name?: string };

/** A snapshot of an open database, as a person named it. */
type OpenSnapshot = { readonly archive: ModuleArchive; readonly snapshot: string; readonly version: bigint };

/**
 * Opens the two sides: each a ledger version of the database at `path`, another database with or without `@VERSION`, a `.mv`
 * file, or a folder. Of two snapshots only accounts that differ are read. `opened` closes the databases.
 * @throws ConfigError, NotHeldError, StoreError
 */
export async function openSides(
  [before, after]: readonly [string, string],
  path: string,
  scope: SideFilter | undefined,
  opened: AsyncDisposableStack,
): Promise<readonly [before: OpenSide, after: OpenSide]> {
  const first = await openOne(before, path, scope, opened);
  const second = await openOne(after, path, scope, opened);
  return [await readSide(first, second, scope), await readSide(second, first, scope)];
}

async function openOne(
  text: string,
  path: string,
  scope: SideFilter | undefined,
  opened: AsyncDisposableStack,
): Promise<OpenSide | OpenSnapshot> {
  const openSnapshot = async (database: string, snapshot: string): Promise<OpenSnapshot> => {
    const archive = opened.use(await openModuleArchive(database));
    return { archive, snapshot, version: await chooseSnapshot(archive, snapshot, scope?.address) };
  };
  if (namesSnapshot(text)) return openSnapshot(path, text);
  if (isModuleFile(text)) return filesSide(text, [text], scope, true);
  const at = text.lastIndexOf("@");
  const file = at < 0 ? text : text.slice(0, at);
  const status = statSync(file, { throwIfNoEntry: false });
  if (status?.isDirectory() === true && at < 0) {
    const files = moduleFilesIn(file);
    if (files.length === 0) throw new ConfigError(`the folder ${lacksModuleFiles(file)}.`, { facts: { path: file } });
    return filesSide(text, files, scope, false);
  }
  if (status?.isFile() === true) return openSnapshot(file, at < 0 ? "latest" : text.slice(at + 1));
  throw new ConfigError(
    `cannot compare \`${printable(text, 200)}\`. Give a ledger version, \`latest\`, \`previous\`, \`oldest\`, a database, a .mv file or a folder of them.`,
  );
}

async function readSide(side: OpenSide | OpenSnapshot, against: OpenSide | OpenSnapshot, scope: SideFilter | undefined): Promise<OpenSide> {
  if (!("snapshot" in side)) return side;
  const { archive, snapshot, version } = side;
  const isSame = scope === undefined && "snapshot" in against && against.archive.path === archive.path;
  const other = isSame ? against.version : undefined;
  const others = scope === undefined ? await coveredElsewhere(archive, snapshot, version) : new Map<Address, bigint>();
  const modules =
    other === undefined
      ? await modulesIn(archive, version, scope)
      : await storedModule.all(archive.engine, modulesUnlike, { version, other });
  for (const [address, covering] of others) modules.push(...(await archive.modulesAt(covering, address)));
  const stored = new Map(modules.map((module) => [formatModuleId(module), module]));
  const also = others.size === 0 ? "" : ` (${plural(others.size, "account")} that it was not asked about: from others)`;
  return {
    label: `ledger version ${version} of ${printable(basename(archive.path), 100)}${also}`,
    modules: stored,
    alike: other === undefined ? undefined : () => countOf(archive.engine, modulesAlike, { version, other }),
    accounts:
      scope === undefined
        ? async function* () {
            yield* coveredAccounts(archive, version, other);
            yield* others.keys();
          }
        : undefined,
    unknown: async (address) => (others.has(address) ? undefined : unknownReason(archive, address, version)),
    load: (wanted) => loadStored(archive, stored, wanted),
    archive: { archive, version },
    isFile: false,
  };
}

/**
 * For `previous` and `oldest`: the accounts of the latest snapshot that the chosen one does not cover, each with its own previous or
 * oldest snapshot. A backfilled snapshot often covers few accounts: those that had changed.
 */
async function coveredElsewhere(archive: ModuleArchive, word: string, version: bigint): Promise<Map<Address, bigint>> {
  const found = new Map<Address, bigint>();
  const latest = (await readSealedVersions(archive.engine)).at(-1);
  if ((word !== "previous" && word !== "oldest") || latest === undefined) return found;
  for await (const address of coveredAccounts(archive, latest, version)) {
    if ((await archive.gapReason(address, version)) !== undefined) continue;
    const covering = word === "previous" ? await archive.newestCovering(address, latest) : await archive.oldestCovering(address);
    if (covering !== undefined && covering < latest) found.set(address, covering);
  }
  return found;
}

async function modulesIn(archive: ModuleArchive, version: bigint, scope: SideFilter | undefined): Promise<StoredModule[]> {
  if (scope?.name === undefined) return archive.modulesAt(version, scope?.address);
  const found = await archive.findModule({ address: scope.address, name: scope.name }, version);
  return found === undefined ? [] : [found];
}

/** The modules of files as one side. @throws ConfigError when a file is no module, or two are of the same */
export function filesSide(label: string, files: readonly string[], scope: SideFilter | undefined, isFile: boolean): OpenSide {
  const contents = new Map<string, StoredContent>();
  const modules = new Map<string, HeldModule>();
  for (const file of files) {
    const content = readModuleFile(file);
    const id = content.kind === "decoded" ? content.module.abi : readSelfId(content.bytes);
    if (id === undefined)
      throw new ConfigError(`\`${printable(file)}\` is not a module: ${content.kind === "unreadable" ? content.reason : "no name"}.`);
    if (scope !== undefined && (id.address !== scope.address || (scope.name !== undefined && id.name !== scope.name))) continue;
    const module = { address: id.address, name: id.name, sha256: sha256Hex(content.bytes) };
    if (contents.has(formatModuleId(module)))
      throw new ConfigError(`two files of \`${printable(label)}\` are of module ${formatModuleId(module)}.`);
    contents.set(formatModuleId(module), content);
    modules.set(formatModuleId(module), module);
  }
  return {
    label: printable(label, 200),
    modules,
    unknown: async () => undefined,
    load: async () => (module) => loadContent(contents.get(formatModuleId(module)) as StoredContent, module.sha256),
    isFile,
  };
}

// One list is one row, so that accounts without a change are told by its number: their modules are counted, those of all others listed.
const isAlike = sql`EXISTS (SELECT 1 FROM _listing_spans o JOIN _coverage k ON k.address_id = o.address_id AND ${includesVersion("k", ":other")}
  WHERE o.address_id = s.address_id AND o.listing_id = s.listing_id AND ${includesVersion("o", ":other")})`;
const modulesUnlike = sql`${moduleRows} WHERE ${standing} AND NOT ${isAlike} ${inOrder}`;
const modulesAlike = sql`SELECT CAST(coalesce(sum(l.modules), 0) AS bigint) FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id WHERE ${standing} AND ${isAlike}`;
const accountsCovered = sql<
  [Address],
  { version: bigint; other: bigint | null }
>`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id
  WHERE ${includesVersion("c", ":version")} AND (:other::version IS NULL OR NOT EXISTS (SELECT 1 FROM _coverage o
    WHERE o.address_id = c.address_id AND ${includesVersion("o", ":other::version")})) ORDER BY c.address_id`;

/** Accounts that one snapshot covers and, if `other` is given, the other does not. Read as they are walked, so memory stays flat. */
async function* coveredAccounts({ engine }: ModuleArchive, version: bigint, other?: bigint): AsyncIterable<Address> {
  for await (const rows of engine.stream(accountsCovered, { version, other: other ?? null })) for (const [address] of rows) yield address;
}
