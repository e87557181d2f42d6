import { type Answer, jsonBody, plainJson } from "../http/answer.ts";
import { contentTypes } from "../http/content-types.ts";
import { apiRefusal } from "../http/error-answers.ts";
import type { Operation } from "../service.ts";
import { readDuration } from "./parameters.ts";
import { ulebBytes } from "./state-key.ts";

/** What stands for a node's "not bootstrapped": there is nothing to answer from, and no head to speak of. */
export function nothingSealed(): Answer {
  return apiRefusal(503, "internal_error", "Failed to retrieve latest ledger info: this archive has no sealed snapshot yet");
}

/** `GET /`: the head once more as a body. Source: aptos-core `api/types/src/index.rs`. */
export const readIndex: Operation = ({ version }, { head, form }) => {
  if (head === undefined) return nothingSealed();
  const numbers = [head.epoch, head.newest, head.oldest, head.timestampUsec, head.oldestBlockHeight, head.blockHeight].map(String);
  const [epoch, newest, oldest, timestamp, oldestBlock, block] = numbers as [string, string, string, string, string, string];
  const seen = { head, keeping: "until_sealed" } as const;
  if (form === "bcs") {
    const FULL_NODE = Buffer.of(1);
    const body = Buffer.concat([
      Buffer.of(head.chainId),
      ...[epoch, newest, oldest, timestamp].map(bcsText),
      FULL_NODE,
      ...[oldestBlock, block].map(bcsText),
    ]);
    return { status: 200, contentType: contentTypes.bcs, body, ...seen };
  }
  const body = jsonBody({
    chain_id: head.chainId,
    epoch,
    ledger_version: newest,
    oldest_ledger_version: oldest,
    ledger_timestamp: timestamp,
    node_role: "full_node",
    oldest_block_height: oldestBlock,
    block_height: block,
    git_hash: `movedex-${version}`,
    encryption_key: null,
  });
  return { status: 200, contentType: contentTypes.json, body, ...seen };
};

/**
 * `GET /info`: what this service is. The two keys that clients take for "listings of modules work" say so here too
 * (node-contract, section 9.2).
 */
export const readInfo: Operation = async ({ version, between, holdings }, { head }) =>
  plainJson({
    service: "movedex",
    version,
    node_type: "Archive",
    chain_id: head === undefined ? null : String(head.chainId),
    new_storage_format: false,
    internal_indexer_config: { enable_statekeys: true },
    between,
    snapshots: await holdings.archive.countSnapshots(),
    newest_snapshot: head === undefined ? null : newestSnapshot(head.newest, (await holdings.archive.findSnapshot(head.newest))?.digest),
  });

function newestSnapshot(ledgerVersion: bigint, digest: string | undefined): Record<string, string | null> {
  return { ledger_version: ledgerVersion.toString(), digest: digest ?? null };
}

/** `GET /-/healthy`: whether there is anything to answer from and, when that is asked, whether it is young enough. */
export const readHealth: Operation = ({ now }, { head, form, query }) => {
  const seconds = readDuration(query);
  if (head === undefined) return nothingSealed();
  const oldestUsec = seconds === undefined ? undefined : BigInt(now() - seconds * 1000) * 1000n;
  if (oldestUsec !== undefined && head.timestampUsec < oldestUsec) {
    const message = `The latest ledger info timestamp is ${head.timestampUsec * 1000n}, which is beyond the allowed skew (${oldestUsec * 1000n}ns).`;
    return apiRefusal(503, "health_check_failed", message, head);
  }
  const message = "aptos-node:ok";
  const body = form === "bcs" ? bcsText(message) : jsonBody({ message });
  return { status: 200, contentType: contentTypes[form], body, head, keeping: "never" };
};

/** `GET /` outside of `/v1`: a page for people who came without a path. */
export const welcome: Operation = () => ({
  status: 200,
  contentType: contentTypes.html,
  body: Buffer.from(
    "<!doctype html><html lang=en><meta charset=utf-8><title>movedex</title><p>An archive of a Move ledger. " +
      'Its API begins at <a href="/v1">/v1</a>; <a href="/v1/spec">/v1/spec</a> describes it, <a href="/v1/snapshots">/v1/snapshots</a> says what it holds.',
  ),
  keeping: "until_sealed",
});

function bcsText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([ulebBytes(bytes.length), bytes]);
}
