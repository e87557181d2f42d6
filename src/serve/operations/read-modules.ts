import { setImmediate as nextTurn } from "node:timers/promises";
import type { Address } from "../../move/address.ts";
import type { RowId } from "../../store/read/serving.ts";
import { type BodyFormat, contentTypes } from "../http/content-types.ts";
import { apiError, overloaded } from "../http/error-answers.ts";
import type { Operation } from "../service.ts";
import type { Holdings, OrderedModule, Page } from "./archive-cache.ts";
import { readAddress, readLedgerVersion, readLimit, readStart } from "./parameters.ts";
import { readAt } from "./resolve-version.ts";
import { nothingSealed } from "./service-info.ts";
import { moduleCursor, type Start, ulebBytes } from "./state-key.ts";

/** Others get their turn after so long: a page of modules that are not at hand takes a second to decode. */
const SLICE_MS = 10;

/** `GET /accounts/{address}/modules`: one page, from the first module not below the cursor. */
export const readModules: Operation = async ({ holdings, between, limits, heavyWork }, { parts, query, head, form }) => {
  const address = readAddress(parts[0] as string);
  const asked = readLedgerVersion(query);
  const start = readStart(query);
  const limit = readLimit(query);
  if (head === undefined) return nothingSealed();
  const reading = await readAt(holdings, head, between, address, asked, {
    read: (account: RowId, version: bigint) => holdings.listing(account, version),
    same: sameListing,
  });
  if ("refusal" in reading) return reading.refusal;
  if (limit === 0) return apiError(400, "invalid_input", "Given limit value (0) must not be zero", head);
  const { value: listing, observedAt, cacheRule } = reading;
  const from = position(listing, address, start);
  const wanted = listing.slice(from, from + Math.min(limit ?? limits.pageModules, limits.pageModules));
  const key = `${form}/${address}/${observedAt[0]}/${from}/${wanted.length}`;
  const page = holdings.pages.get(key) ?? (await heavyWork.run(() => gather(holdings, address, wanted, form, limits.pageBytes)));
  if (page === undefined) return overloaded();
  // Its packed forms stay with it.
  holdings.pages.set(key, page, page.body.length * 2);
  const next = listing[from + page.count];
  return {
    status: 200,
    contentType: contentTypes[form],
    body: page.body,
    head,
    observedAt,
    cacheRule,
    ...(next === undefined ? {} : { cursor: moduleCursor(address, next.name) }),
  };
};

function sameListing(a: readonly OrderedModule[], b: readonly OrderedModule[]): boolean {
  return a.length === b.length && a.every(({ name, bytecode }, index) => b[index]?.name === name && b[index]?.bytecode === bytecode);
}

/** The index of the first module that a page holds; past the end for cursors that point elsewhere. */
function position(listing: readonly OrderedModule[], address: Address, start: Start | undefined): number {
  if (start === undefined) return 0;
  if (start === "past every module" || start.account !== address) return listing.length;
  let low = 0;
  let high = listing.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((listing[middle] as OrderedModule).order < start.order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As many of the modules as fit into `mostBytes`, at least one, as one body. */
async function gather(
  holdings: Holdings,
  address: Address,
  modules: readonly OrderedModule[],
  form: BodyFormat,
  mostBytes: number,
): Promise<Page> {
  const entries: { readonly key: Buffer; readonly value: Uint8Array }[] = [];
  let bytes = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for (const { name, bytecode } of modules) {
    if (bytes >= mostBytes) break;
    const value = await (form === "json" ? holdings.records.json(bytecode) : holdings.records.bcs(bytecode));
    entries.push({ key: Buffer.from(`${address}::${name}`), value });
    bytes += value.length;
    if (performance.now() > sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return { body: form === "json" ? jsonArray(entries) : bcsMap(entries), count: entries.length };
}

type Entry = { readonly key: Buffer; readonly value: Uint8Array };

const COMMA = Buffer.from(",");

function jsonArray(entries: readonly Entry[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from("[")];
  for (const [index, { value }] of entries.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(value);
  }
  parts.push(Buffer.from("]"));
  return Buffer.concat(parts);
}

/** A map from text to bytes: BCS sorts it by the written key, length first. */
function bcsMap(entries: readonly Entry[]): Buffer {
  const written = entries.map(({ key, value }) => ({ key: Buffer.concat([ulebBytes(key.length), key]), value }));
  written.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat([ulebBytes(written.length), ...written.flatMap(({ key, value }) => [key, ulebBytes(value.length), value])]);
}
