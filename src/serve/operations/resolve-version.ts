import type { Address } from "../../move/address.ts";
import type { ArchiveHead, RowId } from "../../store/read/serving.ts";
import type { Answer, CacheRule } from "../http/answer.ts";
import { apiError } from "../http/error-answers.ts";
import { sourceHeaders } from "../http/ledger-headers.ts";
import type { Holdings } from "./archive-cache.ts";

/** What is answered at versions between two snapshots: nothing, or what stood at both of them when it is the same. */
export type Between = "exact" | "stable";

/** What an account holds at a version, and how the archive knows. */
export type Reading<T> = {
  readonly account: RowId;
  readonly version: bigint;
  readonly value: T;
  /** The sealed versions that it was seen at: one, or the two around the version, which agree. */
  readonly observedAt: readonly bigint[];
  readonly cacheRule: CacheRule;
};

/** What is to be read, and when two values of it are the same. */
export type Question<T> = {
  readonly read: (account: RowId, version: bigint) => Promise<T>;
  readonly same: (a: T, b: T) => boolean;
};

/**
 * Reads something of an account at a version, the newest sealed one when none is asked for; or the refusal of it.
 *
 * Outside of what is held a node's words: 410 `version_pruned` below, 404 `version_not_found` above. Within, whatever has
 * no answer is 404 `version_not_found` too: an archive that has not read an account must not pass for one that found
 * nothing there.
 */
export async function readAt<T>(
  holdings: Holdings,
  head: ArchiveHead,
  between: Between,
  address: Address,
  asked: bigint | undefined,
  { read, same }: Question<T>,
): Promise<Reading<T> | { readonly refusal: Answer }> {
  const { archive } = holdings;
  const version = asked ?? head.newest;
  if (version > head.newest) return { refusal: apiError(404, "version_not_found", notFound(version), head) };
  if (version < head.oldest) return { refusal: apiError(410, "version_pruned", `Ledger version(${version}) has been pruned`, head) };
  const account = await archive.findAccount(address);
  if (account === undefined) return { refusal: unheld(head, version, `no snapshot of this archive has read account ${address}`) };
  const isSealed = await archive.isSealed(version);
  if (isSealed && (await archive.holds(account, version))) {
    const cacheRule = asked === undefined ? "revalidate" : "sealed";
    return { account, version, value: await read(account, version), observedAt: [version], cacheRule };
  }
  const { previous, next } = await archive.neighbours(account, version);
  if (between === "stable" && previous !== undefined && next !== undefined) {
    const value = await read(account, previous);
    if (same(value, await read(account, next))) return { account, version, value, observedAt: [previous, next], cacheRule: "revalidate" };
  }
  const why = isSealed ? gapText(await archive.gapReason(account, version), address) : "this archive has no snapshot of it";
  const nearest = [previous, next].filter((neighbour) => neighbour !== undefined);
  const nearestText = nearest.length === 0 ? "" : `; the nearest that hold account ${address}: ${nearest.join(" and ")}`;
  return { refusal: unheld(head, version, why + nearestText, nearest) };
}

function unheld(head: ArchiveHead, version: bigint, why: string, nearest: readonly bigint[] = []): Answer {
  const error = apiError(404, "version_not_found", `${notFound(version)}: ${why}`, head);
  return nearest.length === 0 ? error : { ...error, headers: { [sourceHeaders.nearestHeld]: nearest.join(", ") } };
}

function notFound(version: bigint): string {
  return `Ledger version not found by Ledger version(${version})`;
}

function gapText(reason: string | undefined, address: Address): string {
  return reason === undefined ? `its snapshot did not read account ${address}` : `its snapshot has a gap at account ${address} (${reason})`;
}
