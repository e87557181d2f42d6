import { LEDGER_VERSION_MAX, parseU64, U64_MAX } from "../../../core/base/numbers.ts";
import { address, all, list, object, orNull, sha256, text, time, version, whole, word } from "../../../core/base/result.ts";
import type { ArchiveHead } from "../archive-head.ts";
import { type Answer, apiError, contentTypes, jsonBody, ParameterError, plainJson } from "../http/answer.ts";
import { readBefore, readDuration, readLimit } from "./parameters.ts";
import type { Operation } from "./service.ts";
import { ulebBytes } from "./state-key.ts";

/** Stands in for a node's "not bootstrapped": there is nothing to answer from, and no head. */
export function nothingSealed(): Answer {
  return apiError(503, "internal_error", "Failed to retrieve latest ledger info: this archive has no sealed snapshot yet");
}

/** The index of a node in JSON. Numbers that may exceed 2^53 are decimal text. Source: aptos-core `api/types/src/index.rs`. */
function indexFields(head: ArchiveHead) {
  return {
    chain_id: head.chainId,
    epoch: String(head.epoch),
    ledger_version: String(head.newest),
    oldest_ledger_version: String(head.oldest),
    ledger_timestamp: String(head.timestampUsec),
    node_role: "full_node",
    oldest_block_height: String(head.oldestBlockHeight),
    block_height: String(head.blockHeight),
  };
}

export type IndexFields = Readonly<ReturnType<typeof indexFields>>;

/** `GET /`: the head once more, as a body. */
export const readIndex: Operation = ({ version, generation }, { head, format }) => {
  if (head === undefined) return nothingSealed();
  const fields = indexFields(head);
  const key = generation === "D" ? { encryption_key: null } : {};
  const body = format === "bcs" ? indexBcs(fields) : jsonBody({ ...fields, git_hash: `movedex-${version}`, ...key });
  return { status: 200, contentType: contentTypes[format], body, head, cacheRule: "revalidate" };
};

/** The index in BCS: a byte, then decimal texts around the role's variant. */
export function indexBcs(fields: IndexFields): Buffer {
  const role = Buffer.of(fields.node_role === "validator" ? 0 : 1);
  const before = [fields.epoch, fields.ledger_version, fields.oldest_ledger_version, fields.ledger_timestamp];
  const after = [fields.oldest_block_height, fields.block_height];
  return Buffer.concat([Buffer.of(fields.chain_id), ...before.map(bcsText), role, ...after.map(bcsText)]);
}

/**
 * `GET /info`: describes this service. Clients read from `new_storage_format` and `enable_statekeys` whether a node can list
 * modules (node-contract, section 9.2); both say that it can.
 */
export const readInfo: Operation = async ({ version, between, cache }, { head }) =>
  plainJson({
    service: "movedex",
    version,
    node_type: "Archive",
    chain_id: head === undefined ? null : String(head.chainId),
    new_storage_format: false,
    internal_indexer_config: { enable_statekeys: true },
    between,
    snapshots: head?.snapshots ?? 0,
    newest_snapshot:
      head === undefined
        ? null
        : { ledger_version: String(head.newest), digest: (await cache.archive.findSnapshot(head.newest))?.digest ?? null },
  });

/** `GET /-/healthy`: whether anything is sealed and, with `duration_secs`, whether the newest snapshot is younger than that. */
export const readHealth: Operation = ({ now }, { head, format, query }) => {
  const seconds = readDuration(query);
  if (head === undefined) return nothingSealed();
  if (seconds !== undefined && head.timestampUsec < BigInt(now() - seconds * 1000) * 1000n) {
    const message = `The latest ledger info timestamp is ${secondsOf(head.timestampUsec)}s, which is beyond the allowed skew (${seconds}s).`;
    return apiError(503, "health_check_failed", message, head);
  }
  const message = "aptos-node:ok";
  const body = format === "bcs" ? bcsText(message) : jsonBody({ message });
  return { status: 200, contentType: contentTypes[format], body, head, cacheRule: "no_store" };
};

/** Microseconds in seconds, without zeros at the end. */
function secondsOf(usec: bigint): string {
  const part = (usec % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  return `${usec / 1_000_000n}${part === "" ? "" : `.${part}`}`;
}

/** `GET /` outside of `/v1`: a page for people who open the service's address in a browser. */
export const welcome: Operation = () => ({
  status: 200,
  contentType: contentTypes.html,
  body: Buffer.from(
    "<!doctype html><html lang=en><meta charset=utf-8><title>movedex</title><p>An archive of a Move ledger. " +
      'Its API begins at <a href="v1">/v1</a>; <a href="v1/spec">/v1/spec</a> describes it, <a href="v1/snapshots">/v1/snapshots</a> says what it holds.',
  ),
  cacheRule: "revalidate",
});

function bcsText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([ulebBytes(bytes.length), bytes]);
}

/** `GET /metrics`: counters and current values, for Prometheus. What is held is left out while the database gives no answer. */
export const readMetrics: Operation = async ({ metrics, gauges, cache }) => {
  const held = await cache.head().then(
    (head) => ({ snapshots: head?.snapshots ?? 0, newest_ledger_version: head?.newest ?? 0n, database_up: 1 }),
    () => ({ database_up: 0 }),
  );
  const body = Buffer.from(metrics.text({ ...held, ...gauges() }));
  return { status: 200, contentType: contentTypes.metrics, body, cacheRule: "no_store" };
};

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1000;

const heldSnapshot = {
  ...{ ledger_version: version, status: word("sealed", "sealed_with_gaps"), sealed_at: time, ...all(whole, "accounts", "modules", "gaps") },
  ...{ digest: sha256, ledger_time: orNull(time), ledger_time_error_ms: orNull(whole) },
};
const heldGap = object({ address, reason: text });
export const snapshotPage = object({ chain_id: orNull(whole), snapshots: list(object(heldSnapshot)), next_before: orNull(version) });
export const snapshotWithGaps = object({ chain_id: orNull(whole), ...heldSnapshot, missing: list(heldGap) });

/** `GET /snapshots`: sealed snapshots, newest first. `before` limits them to older ones; `next_before` is its value for the next page. */
export const listSnapshots: Operation = async ({ cache }, { query, head }) => {
  const before = readBefore(query) ?? U64_MAX;
  const asked = readLimit(query);
  if (asked === 0) return apiError(400, "invalid_input", "Given limit value (0) must not be zero", head);
  const limit = Math.min(asked ?? DEFAULT_PAGE, LARGEST_PAGE);
  const below = before > LEDGER_VERSION_MAX ? LEDGER_VERSION_MAX : before;
  const page = await cache.archive.listSnapshots({ below, limit: limit + 1 });
  const snapshots = page.slice(0, limit);
  const nextBefore = page.length > limit ? snapshots.at(-1)?.ledgerVersion : null;
  return plainJson(snapshotPage.print({ chainId: head?.chainId, snapshots, nextBefore }));
};

/** `GET /snapshots/{ledger_version}`: one snapshot, with the accounts that it has no answer about. */
export const readSnapshot: Operation = async ({ cache }, { parts, head }): Promise<Answer> => {
  const asked = parseU64(parts[0] as string);
  if (asked === undefined) {
    throw new ParameterError(`failed to parse path \`ledger_version\`: failed to parse "string(U64)": \`${parts[0]}\` is not a u64`);
  }
  const snapshot = asked > LEDGER_VERSION_MAX ? undefined : await cache.archive.findSnapshot(asked);
  if (snapshot === undefined) {
    const message = `Ledger version not found by Ledger version(${asked}): this archive has no snapshot of it`;
    return apiError(404, "version_not_found", message, head);
  }
  const missing = await cache.archive.listGaps(asked, LARGEST_PAGE);
  return plainJson(snapshotWithGaps.print({ chainId: head?.chainId, ...snapshot, missing }));
};
