import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import type { ContentStore } from "../content/content.ts";
import { StoreError } from "../errors.ts";
import { type Content, coversAs, placeAmongCovering, placeAmongSealed, standingAt, standsAs } from "./standing-at.ts";
import { type Miss, type ObservedModule, STORABLE_NAME, type Visit } from "./visit-model.ts";

/** The result of storing a visit. */
export type VisitResult = { readonly newBytecodes: number };

/** Stores the visits of a snapshot. Each call is one transaction, which holds the rows and the mark that the account was visited. */
export type VisitStore = {
  /** Whether bytecode is stored, so that it need not be decoded again. */
  readonly knowsBytecode: (sha256: Uint8Array) => Promise<boolean>;
  /**
   * Stores a full visit of a planned account. A visit that equals what stood at a sealed neighbour is one small row.
   * A second visit of the account replaces the first.
   * @throws StoreError `MOVEDEX_STORE_PIN`, `MOVEDEX_STORE_VISIT`
   */
  readonly commitVisit: (ledgerVersion: bigint, visit: Visit) => Promise<VisitResult>;
  /** Several visits of one snapshot in one transaction: all of them or, when one throws, none. */
  readonly commitVisits: (ledgerVersion: bigint, visits: readonly Visit[]) => Promise<readonly VisitResult[]>;
  /** Records that a planned account did not answer. What was known of it stays as it was. */
  readonly commitMiss: (ledgerVersion: bigint, miss: Miss, now: number) => Promise<void>;
  /** Records the same failure for every account still planned, in one transaction; returns how many. */
  readonly missRest: (ledgerVersion: bigint, miss: Omit<Miss, "address">, now: number) => Promise<number>;
};

/** Prepares the storing of visits on a connection. */
export function prepareVisits(database: Database, statements: HotStatements, content: ContentStore): Synchronous<VisitStore> {
  const rest = database.prepare<[bigint], bigint>("SELECT address_id FROM visits WHERE ledger_version = ? AND state = 'planned'").pluck();

  const requirePlanned = (version: bigint, address: Address): { address: bigint; isRedone: boolean } => {
    const facts = { version, address };
    const [id, status, isPlanned, isRedone] = statements.planned.get({ version, address }) ?? [null, null, 0n, 0n];
    if (id !== null && isPlanned === 1n) return { address: id, isRedone: isRedone === 1n };
    if (status === "unsealed")
      throw new StoreError("MOVEDEX_STORE_VISIT", `account ${address} is not in the plan of ledger version ${version}`, { facts });
    throw new StoreError(
      "MOVEDEX_STORE_PIN",
      `wanted to write to the snapshot of ledger version ${version}, which is ${status ?? "not there"}`,
      { facts },
    );
  };

  /** Stores the listing unless a sealed neighbour shows the same; returns that neighbour's version, null when the listing is stored. */
  const stage = (version: bigint, address: bigint, seen: Content): bigint | null => {
    const sealed = placeAmongSealed(statements, version);
    // As a rule nothing has changed since the night before.
    if (sealed.previous !== undefined && coversAs(statements, address, sealed.previous, seen)) return sealed.previous;
    const { previous, next } = placeAmongCovering(statements, address, sealed);
    if (previous !== undefined && standsAs(standingAt(statements, address, previous), seen)) return previous;
    if (next !== undefined && standsAs(standingAt(statements, address, next), seen)) return next;
    for (const [name, bytecode] of seen.modules) statements.addListed.run(version, address, name, bytecode);
    return null;
  };

  const commitVisit = (version: bigint, visit: Visit): VisitResult => {
    const { address, isRedone } = requirePlanned(version, visit.address);
    const { modules, newBytecodes } = internListing(content, address, visit);
    const record = toRecord(visit);
    if (isRedone) {
      statements.clearListing.run(version, address);
      statements.clearMiss.run(version, address);
    }
    const sameAs = stage(version, address, { record, modules });
    const kept = sameAs === null ? record : undefined;
    statements.markVisited.run(
      sameAs,
      sameAs === null ? (record === undefined ? 0n : 1n) : null,
      kept?.sequenceNumber ?? null,
      kept?.authenticationKey ?? null,
      kept?.resource ?? null,
      version,
      address,
    );
    return { newBytecodes };
  };

  const writeMiss = (version: bigint, address: bigint, miss: Omit<Miss, "address">, now: number): void => {
    statements.clearListing.run(version, address);
    const { reason, errorCode, httpStatus, attempts, isFinal } = miss;
    statements.addMiss.run(version, address, reason, errorCode, httpStatus, printable(miss.message), attempts, isFinal ? 1 : 0, now, now);
    statements.checkMiss(version, address);
    statements.markMissed.run(version, address);
  };
  const commitMiss = (version: bigint, miss: Miss, now: number): void =>
    writeMiss(version, requirePlanned(version, miss.address).address, miss, now);
  const missRest = (version: bigint, miss: Omit<Miss, "address">, now: number): number => {
    const addresses = rest.all(version);
    for (const address of addresses) writeMiss(version, address, miss, now);
    return addresses.length;
  };

  return {
    knowsBytecode: content.knows,
    commitVisit: database.transaction(commitVisit).immediate,
    commitVisits: database.transaction((version: bigint, visits: readonly Visit[]) => visits.map((visit) => commitVisit(version, visit)))
      .immediate,
    commitMiss: database.transaction(commitMiss).immediate,
    missRest: database.transaction(missRest).immediate,
  };
}

function internListing(content: ContentStore, address: bigint, visit: Visit): { modules: Map<string, bigint>; newBytecodes: number } {
  const modules = new Map<string, bigint>();
  let newBytecodes = 0;
  for (const module of visit.modules) {
    checkName(visit.address, module, modules);
    const { id, isNew } = content.intern(address, module);
    modules.set(module.name, id);
    if (isNew) newBytecodes += 1;
  }
  return { modules, newBytecodes };
}

function checkName(address: Address, module: ObservedModule, seen: ReadonlyMap<string, bigint>): void {
  const name = printable(module.name, 80);
  const facts = { address, module: name };
  if (!STORABLE_NAME.test(module.name))
    throw new StoreError("MOVEDEX_STORE_VISIT", `\`${name}\` of account ${address} is not a module's name`, { facts });
  if (seen.has(module.name))
    throw new StoreError("MOVEDEX_STORE_VISIT", `the listing of account ${address} holds module \`${name}\` twice`, { facts });
}

function toRecord({ account }: Visit): Content["record"] {
  if (account === null) return undefined;
  return { sequenceNumber: account.sequenceNumber.toString(), authenticationKey: account.authenticationKey, resource: account.resource };
}
