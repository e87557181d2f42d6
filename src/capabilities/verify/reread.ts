import { forEachConcurrent } from "../../core/base/async.ts";
import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { assertChainId } from "../../core/crawl/check/first-answer.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import { CrawlError, failedAnswer } from "../../core/crawl/visit/classify-failure.ts";
import { visitAccount } from "../../core/crawl/visit/visit-account.ts";
import type { readChain } from "../../core/db/archive/chain.ts";
import type { Visit } from "../../core/db/archive/snapshots/visits.ts";
import type { Damage } from "../../core/db/engine/check.ts";
import type { HeldAccount, SampledAccount, samplingQueries } from "./sampled-accounts.ts";

export type RereadWork = Pick<RunWork, "node" | "stop" | "concurrency"> & {
  readonly archive: Pick<ReturnType<typeof samplingQueries>, "drawAccounts" | "held"> & {
    readonly chainId: () => ReturnType<typeof readChain>;
  };
  readonly count: number;
  readonly random: () => number;
  readonly report: (done: number, drawn: number) => void;
};

/** The result of reading a sample again. An account that could not be read counts as neither equal nor damaged. */
export type Reread = {
  readonly drawn: number;
  readonly agree: number;
  readonly damage: readonly Damage[];
  readonly unread: ReadonlyMap<string, number>;
};

/**
 * Reads a random sample of accounts again at sealed versions and compares every byte: two requests an account, one without its
 * record, more for more pages. @throws WrongChainError, NodeError when the node cannot be asked at all
 */
export async function rereadSample(work: RereadWork): Promise<Reread> {
  const { archive, node, stop, concurrency, count, random } = work;
  const { head } = await node.index(stop.signal);
  assertChainId(await archive.chainId(), node, head);
  const sample = await archive.drawAccounts({ from: head.oldestVersion, to: head.ledgerVersion, count, random });
  const damage: Damage[] = [];
  const unread = new Map<string, number>();
  let agree = 0;
  let done = 0;
  const reread = async (account: SampledAccount): Promise<void> => {
    const held = await archive.held(account);
    const found = await read(work, account, held.record !== "unread");
    done += 1;
    if (typeof found === "string") unread.set(found, (unread.get(found) ?? 0) + 1);
    else {
      const differences = compare(account, held, found, node.url);
      damage.push(...differences);
      if (differences.length === 0) agree += 1;
    }
    work.report(done, sample.length);
  };
  await forEachConcurrent(sample, concurrency, reread, () => stop.reason !== undefined);
  if (done < sample.length) unread.set("stopped", sample.length - done);
  return { drawn: sample.length, agree, damage, unread };
}

async function read({ node, stop }: RereadWork, { address, version }: SampledAccount, readsRecord: boolean): Promise<Visit | string> {
  try {
    // Only digests are compared, so no bytecode has to be decoded.
    const bytecodes = { knowsBytecode: () => true };
    return await visitAccount({ node, bytecodes, stop, pageSize: undefined }, { address, readsRecord }, version);
  } catch (error) {
    if (error instanceof CrawlError && !stop.signal.aborted) return error.kind === "pruned" ? "pruned" : "contradiction";
    return failedAnswer(error, stop);
  }
}

function compare({ address, version }: SampledAccount, held: HeldAccount, { account, modules }: Visit, node: string): Damage[] {
  const damage: Damage[] = [];
  const differ = (table: string, name: string, stored: string, found: string): void => {
    if (stored === found) return;
    damage.push({ table, row: `${name} at ledger version ${version}`, problem: `${stored} is stored, and ${node} gives ${found}` });
  };
  const record = held.record === "unread" ? undefined : held.record;
  differ("_account_spans", `${address} sequence_number`, numberOf(record), numberOf(account));
  differ("_account_spans", `${address} authentication_key`, hexOf(record?.authenticationKey), hexOf(account?.authenticationKey));
  // Null where the node answered in JSON, then or now: that says nothing about damage.
  if (record?.resource && account?.resource && !equalBytes(record.resource, account.resource)) {
    differ("_account_spans", `${address} resource`, hexOf(record.resource), hexOf(account.resource));
  }
  const found = new Map(modules.map(({ name, sha256 }) => [name, sha256]));
  for (const name of new Set([...held.modules.keys(), ...found.keys()])) {
    differ("_listing_modules", `${address}::${name}`, hexOf(held.modules.get(name)), hexOf(found.get(name)));
  }
  return damage;
}

function numberOf(record: { readonly sequenceNumber: string | bigint } | null | undefined): string {
  return `${record?.sequenceNumber ?? "no record"}`;
}

function hexOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "nothing" : formatHex(bytes);
}
