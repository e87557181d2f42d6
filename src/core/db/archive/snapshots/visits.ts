import { equalBytes, formatHex } from "../../../base/bytes.ts";
import { printable } from "../../../base/printable.ts";
import type { AccountRecord, Address } from "../../../move/address.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { bytesOf, contentTurn, jsonEach, jsonItem, u64Of } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { timeTables } from "../../schema/tables/time.ts";
import { type Bytecodes, bytecodeQueries, type StoredBytecode } from "../content/bytecodes.ts";
import { type ObservedModule, STORABLE_NAME } from "../content/observed-module.ts";
import { recordIn, type SeenRecord, sameObservation } from "./covering.ts";
import { findPlanned, lockSnapshot, type PlannedAccount } from "./plan.ts";
import { listingDigest } from "./snapshot-digest.ts";

/** What a visit saw: the record (null: there is none; undefined: not asked for) and the full listing of modules. */
export type Visit = {
  readonly address: Address;
  readonly account: AccountRecord | null | undefined;
  readonly modules: readonly ObservedModule[];
};

export type VisitResult = { readonly newBytecodes: number };

/** A visit on its way in: who it is of, what names its listing, its record, and whether both stood at the snapshot before. */
type Incoming = {
  readonly account: PlannedAccount;
  readonly modules: readonly ObservedModule[];
  readonly digest: Uint8Array;
  readonly record: SeenRecord;
  readonly isSame: boolean;
};

// Written as an insertion that meets the plan's rows: so each is found by its key, where an UPDATE … FROM made SQLite read the whole plan.
const mark = sql`INSERT INTO _visits (ledger_version, position, address_id, state, same_as_version, listing_id, sequence_number, authentication_key, resource, reads_record)
  SELECT :version::version, CAST(${jsonItem("j.value", 0)} AS bigint), CAST(${jsonItem("j.value", 1)} AS bigint), 'visited', CAST(${jsonItem("j.value", 2)} AS bigint),
    CAST(${jsonItem("j.value", 3)} AS bigint), ${u64Of(jsonItem("j.value", 4))}, ${bytesOf(jsonItem("j.value", 5))}, ${bytesOf(jsonItem("j.value", 6))},
    CAST(${jsonItem("j.value", 7)} AS bigint) = 1
  FROM ${jsonEach(":rows::json", "j")} WHERE true ON CONFLICT (ledger_version, position) DO UPDATE SET state = excluded.state,
    same_as_version = excluded.same_as_version, listing_id = excluded.listing_id, sequence_number = excluded.sequence_number,
    authentication_key = excluded.authentication_key, resource = excluded.resource, reads_record = excluded.reads_record`;
const clearGaps = sql`DELETE FROM _all_gaps WHERE ledger_version = :version
  AND address_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":accounts::json", "j")})`;

const wanted = sql`(SELECT j.key AS place, CAST(${jsonItem("j.value", 0)} AS bigint) AS address_id, ${bytesOf(jsonItem("j.value", 1))} AS digest,
  CAST(${jsonItem("j.value", 2)} AS bigint) AS modules FROM ${jsonEach(":listings::json", "j")}) AS w`;
const findListings = sql<[account: Integer, id: Integer]>`SELECT w.address_id, l.id FROM ${wanted}
  JOIN _listings l ON l.address_id = w.address_id AND l.digest = w.digest`;
const addListings = sql<[account: Integer, id: Integer]>`INSERT INTO _listings (address_id, digest, modules)
  SELECT w.address_id, w.digest, w.modules FROM ${wanted} WHERE true ORDER BY w.place RETURNING address_id, id`;

/** Stores the visits of a snapshot. Each call is one transaction, which holds the rows and the mark that the account was visited. */
export function visitQueries(engine: Engine, bytecodes: Pick<Bytecodes, "internAll" | "prepare"> = bytecodeQueries(engine)) {
  /** Stores visits of different accounts. */
  const commit = async (tx: Transaction, version: bigint, visits: readonly Visit[]): Promise<readonly VisitResult[]> => {
    const addresses = visits.map(({ address }) => address);
    const { previous, accounts } = await findPlanned(tx, version, addresses);
    const incoming = visits.map((visit, i) => compareWithPrevious(visit, accounts[i] as PlannedAccount));
    const { listings, newBytecodes } = await storeListings(tx, bytecodes.internAll, incoming);
    // In one order, so that two who visited the same accounts wait for each other in turn.
    const marked = incoming.toSorted((a, b) => a.account.position - b.account.position);
    const rows = marked.map((one) => toRow(one, previous, listings.get(one.account.id)));
    await tx.run(mark, { version, rows: JSON.stringify(rows) });
    await tx.run(clearGaps, { version, accounts: JSON.stringify(incoming.map(({ account }) => Number(account.id))) });
    return incoming.map(({ account }) => ({ newBytecodes: newBytecodes.get(account.id) ?? 0 }));
  };
  return {
    /**
     * Stores full visits of planned accounts in one transaction: all of them or, when one throws, none. A visit that equals what stood at
     * the sealed snapshot before is one small row. A second visit of an account replaces the first: both read the same version.
     * @throws StoreError `MOVEDEX_STORE_PIN` when it is sealed by now, `MOVEDEX_STORE_VISIT`
     */
    commitVisits: async (version: bigint, visits: readonly Visit[]): Promise<readonly VisitResult[]> => {
      await bytecodes.prepare();
      return engine.transaction(
        async (tx) => {
          await lockSnapshot(tx, version, "forMany");
          if (new Set(visits.map(({ address }) => address)).size === visits.length) return commit(tx, version, visits);
          // Of two visits of one account the second is to replace the first.
          const results: VisitResult[] = [];
          for (const visit of visits) results.push(...(await commit(tx, version, [visit])));
          return results;
        },
        { joins: "as-written" },
      );
    },
  };
}

/**
 * Stores listings that did not stand before, each once, with their modules and the bytecode that is new.
 * @returns by account the row of its listing, none for an empty one, and how many of its bytecodes were not stored
 */
async function storeListings(tx: Transaction, internAll: Bytecodes["internAll"], incoming: readonly Incoming[]) {
  const newBytecodes = new Map<Integer, number>();
  const others = incoming.filter(({ isSame, modules }) => !isSame && modules.length > 0);
  if (others.length === 0) return { listings: new Map<Integer, Integer>(), newBytecodes };
  await tx.all(contentTurn);
  const toJson = (list: readonly Incoming[]) =>
    JSON.stringify(list.map(({ account, digest, modules }) => [account.id, formatHex(digest), modules.length]));
  const listings = new Map(await tx.all(findListings, { listings: toJson(others) }));
  const fresh = others.filter(({ account }) => !listings.has(account.id));
  if (fresh.length === 0) return { listings, newBytecodes };
  const modules = fresh.flatMap(({ account: { id: address }, modules }) => modules.map((module) => ({ address, module })));
  const stored = await internAll(tx, modules);
  for (const [account, id] of await tx.all(addListings, { listings: toJson(fresh) })) listings.set(account, id);
  const rows = modules.map(({ address, module }, i) => {
    const { id, isNew } = stored[i] as StoredBytecode;
    if (isNew) newBytecodes.set(address, (newBytecodes.get(address) ?? 0) + 1);
    return [listings.get(address), module.name, id];
  });
  await tx.bulk(timeTables.listing_modules, rows);
  return { listings, newBytecodes };
}

function compareWithPrevious(visit: Visit, account: PlannedAccount): Incoming {
  checkNames(visit);
  const { modules } = visit;
  const { previous } = account;
  const digest = listingDigest(modules);
  const record = toRecord(visit);
  // A visit that left the record unread says nothing of it.
  const isSame =
    previous !== undefined && equalBytes(previous.digest, digest) && (record === "unread" || sameObservation(previous.record, record));
  return { account, modules, digest, record, isSame };
}

function toRecord({ account }: Visit): SeenRecord {
  if (account === undefined) return "unread";
  return account === null ? undefined : recordIn([account.sequenceNumber.toString(), account.authenticationKey, account.resource]);
}

/** A visit's row of the plan; equal to the snapshot before, only its version. Text, since JSON numbers are too small. */
function toRow({ account, record, isSame }: Incoming, previous: bigint | undefined, listing: Integer | undefined): readonly unknown[] {
  const readsRecord = record === "unread" ? 0 : 1;
  if (isSame) return [account.position, account.id, `${previous}`, null, null, null, null, readsRecord];
  const seen = typeof record === "object" ? record : undefined;
  const [key, resource] = [seen?.authenticationKey, seen?.resource].map((bytes) => (bytes ? formatHex(bytes) : null));
  return [account.position, account.id, null, listing, seen?.sequenceNumber ?? null, key, resource, readsRecord];
}

function checkNames({ address, modules }: Visit): void {
  const seen = new Set<string>();
  for (const { name } of modules) {
    const isName = STORABLE_NAME.test(name);
    if (!isName || seen.has(name)) {
      const shown = printable(name, 80);
      const text = isName
        ? `the listing of account ${address} holds module \`${shown}\` twice`
        : `\`${shown}\` of account ${address} is not a module's name`;
      throw new StoreError("MOVEDEX_STORE_VISIT", text, { facts: { address, module: shown } });
    }
    seen.add(name);
  }
}
