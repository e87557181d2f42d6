import { setImmediate as nextTurn } from "node:timers/promises";
import { formatHex } from "../../../core/base/bytes.ts";
import { type StoredRecord, sameInJson, sameRecord } from "../../../core/db/archive/snapshots/covering.ts";
import type { Address } from "../../../core/move/address.ts";
import { apiError, contentTypes, jsonBody, overloaded } from "../http/answer.ts";
import type { BodyFormat } from "../http/negotiation.ts";
import type { ArchiveCache, Page } from "./archive-cache.ts";
import { readAddress, readLedgerVersion, readLimit, readModuleName, readStart } from "./parameters.ts";
import { pointRead, resolveVersion, type VersionedRead } from "./resolve-version.ts";
import { compareModules, type OrderedModule, type RowId, type ServedArchive } from "./served-archive.ts";
import type { Operation } from "./service.ts";
import { nothingSealed } from "./service-operations.ts";
import { isKeyOf, moduleCursor, moduleKey, ulebBytes } from "./state-key.ts";

/** `GET /accounts/{address}`: the record as it was observed, the default records that nodes give for unused addresses included. */
export const readAccount: Operation = async (service, { parts, query, head, format }) => {
  const address = readAddress(parts[0] as string);
  const asked = readLedgerVersion(query);
  if (head === undefined) return nothingSealed();
  const { record: at, recordProbes: probes } = service.cache.archive;
  const read = pointRead({ part: "record", at, probes, isSame: isSame(format === "json" ? sameInJson : sameRecord) });
  const resolved = await resolveVersion(service, head, address, asked, read);
  if ("error" in resolved) return resolved.error;
  const { value: record, version, known } = resolved;
  if (record === undefined) {
    return { ...apiError(404, "account_not_found", `Account not found by Address(${address}) and Ledger version(${version})`), ...known };
  }
  const { sequenceNumber, authenticationKey, resource } = record;
  const json = { sequence_number: sequenceNumber, authentication_key: `0x${formatHex(authenticationKey)}` };
  const body = format === "json" ? jsonBody(json) : resource;
  if (body !== null) return { status: 200, contentType: contentTypes[format], body, ...known };
  // A record in JSON has two of the resource's seven fields; the others cannot be made up.
  return apiError(403, "bcs_not_supported", "The account was read as JSON, so this archive does not hold its BCS; ask for JSON");
};

/** Point reads of `trace` have the fields of the JSON only. */
function isSame(same: typeof sameRecord): (a: StoredRecord | undefined, b: StoredRecord | undefined) => boolean {
  return (a, b) => (a === undefined || b === undefined ? a === b : same(a, b));
}

/** Assembling a page yields to other requests this often: a page of uncached modules takes a second to decode. */
const SLICE_MS = 10;

/** `GET /accounts/{address}/modules`: one page, from the first module not below the cursor. */
export const readModules: Operation = async (service, { parts, query, head, format }) => {
  const { cache, limits, heavyWork } = service;
  const address = readAddress(parts[0] as string);
  const asked = readLedgerVersion(query);
  const start = readStart(query, service.generation);
  const limit = readLimit(query);
  if (head === undefined) return nothingSealed();
  const resolved = await resolveVersion(service, head, address, asked, listingRead(cache.archive, address));
  if ("error" in resolved) return resolved.error;
  if (limit === 0) return apiError(400, "invalid_input", "Given limit value (0) must not be zero", head);
  const { value: listing, version, known } = resolved;
  const from = position(listing, address, start);
  const wanted = listing.slice(from, from + Math.min(limit ?? limits.pageModules, limits.pageModules));
  const key = `${format}/${address}/${known.observedAt.length === 1 ? version : `${version}?`}/${from}/${wanted.length}`;
  const page = cache.pages.get(key) ?? (await heavyWork(() => assemblePage(cache, address, wanted, format, limits.pageBytes)));
  if (page === undefined) return overloaded();
  // Twice its size: its compressed forms are kept with it.
  cache.pages.set(key, page, page.body.length * 2);
  const next = listing[from + page.count];
  const cursor = next && moduleCursor(address, next.name);
  return { status: 200, contentType: contentTypes[format], body: page.body, cursor, ...known };
};

/** The index of the first module that a page holds; past the end for a cursor of another account, or of none. */
function position(listing: Listing, address: Address, start: string | undefined): number {
  if (start === undefined) return 0;
  const first = isKeyOf(address, start) ? listing.findIndex(({ key }) => key >= start) : -1;
  return first < 0 ? listing.length : first;
}

/** The modules that fit into `maxBytes`, at least one, as one body. */
async function assemblePage(
  cache: ArchiveCache,
  address: Address,
  modules: readonly OrderedModule[],
  format: BodyFormat,
  maxBytes: number,
): Promise<Page> {
  const entries: Entry[] = [];
  let bytes = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for (const { name, bytecode } of modules) {
    if (bytes >= maxBytes) break;
    const value = await cache.module(bytecode, format);
    entries.push({ key: Buffer.from(`${address}::${name}`), value });
    bytes += value.length;
    if (performance.now() > sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return { body: format === "json" ? jsonArray(entries) : bcsMap(entries), count: entries.length };
}

type Entry = { readonly key: Buffer; readonly value: Uint8Array };

function jsonArray(entries: readonly Entry[]): Buffer {
  const comma = Buffer.from(",");
  const listed = entries.flatMap(({ value }, i) => (i === 0 ? [value] : [comma, value]));
  return Buffer.concat([Buffer.from("["), ...listed, Buffer.from("]")]);
}

/** A BCS map from text to bytes: entries are sorted by the serialized key, whose length comes first. */
function bcsMap(entries: readonly Entry[]): Buffer {
  const written = entries.map(({ key, value }) => ({ key: Buffer.concat([ulebBytes(key.length), key]), value }));
  written.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat([ulebBytes(written.length), ...written.flatMap(({ key, value }) => [key, ulebBytes(value.length), value])]);
}

type Listing = readonly OrderedModule[];

/**
 * Reads the modules of an account. Between two snapshots a listing is inferred when for each module the nearest observations on
 * both sides agree, point reads of `trace` included.
 */
function listingRead(archive: ServedArchive, address: Address): VersionedRead<Listing> {
  return {
    part: "modules",
    at: (account, version) => archive.listing(address, account, version),
    between: async (account, version, { previous, next }, between) => {
      if (between === "exact" || previous === undefined || next === undefined) return undefined;
      const value = await listingBetween(archive, address, account, version, [previous, next]);
      return value === undefined ? undefined : { value, observedAt: [previous, next] };
    },
  };
}

async function listingBetween(
  archive: ServedArchive,
  address: Address,
  account: RowId,
  version: bigint,
  [previous, next]: readonly [bigint, bigint],
): Promise<Listing | undefined> {
  const before = byName(await archive.listing(address, account, previous));
  const after = byName(await archive.listing(address, account, next));
  const probes = await archive.moduleProbes(account, previous, next);
  // In the order of versions: below the version the last point read of a name counts, above it the first.
  for (const probe of probes) if (probe.version <= version) before.set(probe.name, probe.bytecode);
  for (const probe of probes.toReversed()) if (probe.version > version) after.set(probe.name, probe.bytecode);
  const listing: OrderedModule[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const bytecode = before.get(name);
    if (bytecode !== after.get(name)) return undefined;
    if (bytecode !== undefined) listing.push({ name, bytecode, key: moduleKey(address, name) });
  }
  return listing.sort(compareModules);
}

function byName(listing: Listing): Map<string, RowId | undefined> {
  return new Map(listing.map(({ name, bytecode }) => [name, bytecode]));
}

/** `GET /accounts/{address}/module/{module_name}`. */
export const getModule: Operation = async (service, { parts, query, head, format }) => {
  const address = readAddress(parts[0] as string);
  const name = readModuleName(parts[1] as string, service.generation);
  const asked = readLedgerVersion(query);
  if (head === undefined) return nothingSealed();
  const { cache } = service;
  const { archive } = cache;
  const read = pointRead({
    part: "modules",
    at: (account, version) => archive.bytecode(account, version, name),
    probes: (account) => archive.probesOfModule(account, name),
    isSame: Object.is,
  });
  const resolved = await resolveVersion(service, head, address, asked, read);
  if ("error" in resolved) return resolved.error;
  const { value: bytecode, version, known } = resolved;
  if (bytecode === undefined) {
    const message = `Module not found by Address(${address}), Module name(${name}) and Ledger version(${version})`;
    return { ...apiError(404, "module_not_found", message), ...known };
  }
  return { status: 200, contentType: contentTypes[format], body: await cache.module(bytecode, format), ...known };
};
