import { forEachConcurrent } from "../../core/base/async.ts";
import { formatHex } from "../../core/base/bytes.ts";
import { assertChainId } from "../../core/crawl/check/first-answer.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import { CrawlError, failedAnswer } from "../../core/crawl/visit/classify-failure.ts";
import { requireIndex, visitAccount } from "../../core/crawl/visit/visit-account.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { type RecordCells, recordIn, type SeenRecord } from "../../core/db/archive/snapshots/covering.ts";
import type { Visit } from "../../core/db/archive/snapshots/visits.ts";
import type { Damage } from "../../core/db/engine/check.ts";
import type { Integer, Session } from "../../core/db/engine/engine.ts";
import { includesVersion, moduleSpans, recordCoverage, sealed } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";

/** The result of reading a sample again. An account that could not be read counts as neither equal nor damaged. */
export type Reread = {
  readonly drawn: number;
  readonly agree: number;
  readonly damage: readonly Damage[];
  readonly unread: ReadonlyMap<string, number>;
};

type Sampled = readonly [version: Integer, address: Address];

/** What is stored of an account: its record, where that was read, and its modules' SHA-256 by name. */
type Held = { readonly record: SeenRecord; readonly modules: ReadonlyMap<string, Uint8Array> };

// As many versions first, so that what is put in order stays small.
const sample = sql<Sampled, { from: bigint; to: bigint; count: number }>`SELECT v.ledger_version, a.address
  FROM (SELECT p.ledger_version FROM _all_snapshots p WHERE ${sealed("p")} AND p.ledger_version BETWEEN :from AND :to ORDER BY random() LIMIT :count) v
  JOIN _coverage c ON ${includesVersion("c", "v.ledger_version")} JOIN _addresses a ON a.id = c.address_id ORDER BY random() LIMIT :count`;
const recordAt = sql<RecordCells>`SELECT s.sequence_number, s.authentication_key, s.resource FROM ${recordCoverage} k JOIN _addresses a ON a.id = k.address_id
  LEFT JOIN _account_spans s ON s.address_id = k.address_id AND ${includesVersion("s", ":version")} WHERE a.address = :address AND ${includesVersion("k", ":version")}`;
const modulesAt = sql<[string, Uint8Array]>`SELECT s.name, b.sha256 FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id
  JOIN _bytecodes b ON b.id = s.bytecode_id WHERE a.address = :address AND ${includesVersion("s", ":version")} ORDER BY s.name`;

/**
 * Reads a random sample of accounts again at sealed versions and compares every byte: two requests an account, one without its
 * record, more for more pages. @throws WrongChainError, NodeError when the node cannot be asked at all
 */
export async function rereadSample(
  session: Session,
  work: Pick<RunWork, "node" | "stop" | "concurrency">,
  count: number,
  report: (done: number, drawn: number) => void,
): Promise<Reread> {
  const { node, stop, concurrency } = work;
  const { head } = await node.index(stop.signal);
  assertChainId(await readChain(session), node, head);
  const accounts = await session.all(sample, { from: head.oldestVersion, to: head.ledgerVersion, count });
  const damage: Damage[] = [];
  const unread = new Map<string, number>();
  let [agree, done] = [0, 0];
  const reread = async ([version, address]: Sampled): Promise<void> => {
    const record = await session.first(recordAt, { version, address });
    const modules = new Map(await session.all(modulesAt, { version, address }));
    const held: Held = { record: record === undefined ? "unread" : recordIn(record), modules };
    const found = await read(work, address, BigInt(version), held);
    done += 1;
    if (typeof found === "string") unread.set(found, (unread.get(found) ?? 0) + 1);
    else {
      const different = differences(held, found).map(([table, name, stored, given]) => {
        const problem = `${stored} is stored, and ${node.url} gives ${given}`;
        return { table, row: `${address}${name} at ledger version ${version}`, problem };
      });
      damage.push(...different);
      if (different.length === 0) agree += 1;
    }
    report(done, accounts.length);
  };
  await forEachConcurrent(accounts, concurrency, reread, () => stop.reason !== undefined);
  if (done < accounts.length) unread.set("stopped", accounts.length - done);
  return { drawn: accounts.length, agree, damage, unread };
}

async function read(
  { node, stop }: Pick<RunWork, "node" | "stop">,
  address: Address,
  version: bigint,
  { record, modules }: Held,
): Promise<Visit | string> {
  try {
    // Only digests are compared, so no bytecode has to be decoded.
    const bytecodes = { knowsBytecode: () => true };
    const readsRecord = record !== "unread";
    const visit = await visitAccount({ node, bytecodes, stop, pageSize: undefined }, { address, readsRecord }, version);
    // A node that lacks all of what one has given says nothing about damage: its index may be missing, or it is of another generation.
    if (modules.size > 0 && visit.modules.length === 0) {
      await requireIndex({ node, stop }, version);
      return "emptied";
    }
    return readsRecord && record !== null && visit.account === null ? "account_not_found" : visit;
  } catch (error) {
    if (error instanceof CrawlError && !stop.signal.aborted)
      return error.kind === "pruned" || error.kind === "unindexed" ? error.kind : "contradiction";
    return failedAnswer(error, stop);
  }
}

type Difference = readonly [table: string, name: string, stored: string, given: string];

function differences({ record: seen, modules }: Held, { account, modules: listed }: Visit): Difference[] {
  const record = seen === "unread" ? undefined : seen;
  const found = new Map(listed.map(({ name, sha256 }) => [name, sha256]));
  const numberOf = (of: typeof record | typeof account): string => `${of?.sequenceNumber ?? "no record"}`;
  const all: Difference[] = [
    ["_account_spans", " sequence_number", numberOf(record), numberOf(account)],
    ["_account_spans", " authentication_key", hexOf(record?.authenticationKey), hexOf(account?.authenticationKey)],
  ];
  // Null where the node answered in JSON, then or now: that says nothing about damage.
  if (record?.resource && account?.resource) all.push(["_account_spans", " resource", hexOf(record.resource), hexOf(account.resource)]);
  for (const name of new Set([...modules.keys(), ...found.keys()]))
    all.push(["_listing_modules", `::${name}`, hexOf(modules.get(name)), hexOf(found.get(name))]);
  return all.filter(([, , stored, given]) => stored !== given);
}

function hexOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "nothing" : formatHex(bytes);
}
