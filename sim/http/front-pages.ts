import { traitsOf } from "../ledger/generation.ts";
import type { NodeView } from "../ledger/view.ts";
import { type Answer, contentTypes, jsonBody, success, withoutHead } from "./answer.ts";
import { indexBcs, text } from "./bcs.ts";
import { apiError } from "./errors.ts";
import type { BodyFormat } from "./negotiation.ts";

/** `/v1`: the values of the headers as a body, and the node's build. Source: aptos-core `api/types/src/index.rs`. */
export function readIndex(view: NodeView, format: BodyFormat): Answer {
  const { info, settings } = view;
  const body =
    format === "bcs"
      ? indexBcs(info, settings.isValidator)
      : jsonBody({
          chain_id: info.chainId,
          epoch: info.epoch.toString(),
          ledger_version: info.head.toString(),
          oldest_ledger_version: info.oldest.toString(),
          ledger_timestamp: info.timestampUsec.toString(),
          node_role: settings.isValidator ? "validator" : "full_node",
          oldest_block_height: info.oldestBlockHeight.toString(),
          block_height: info.blockHeight.toString(),
          git_hash: settings.gitHash,
          ...(traitsOf[settings.generation].encryptionKeyInIndex ? { encryption_key: null } : {}),
        });
  return success(view, format, body);
}

/** `/v1/info`: how the node is set up. It has no ledger headers and ignores `Accept`. */
export function readInfo({ ledger, settings }: NodeView): Answer {
  const traits = traitsOf[settings.generation];
  const peer = "f0".repeat(32);
  const body = jsonBody({
    bootstrapping_mode: "ExecuteOrApplyFromGenesis",
    continuous_syncing_mode: "ExecuteTransactionsOrApplyOutputs",
    new_storage_format: settings.generation !== "B",
    internal_indexer_config: {
      enable_transaction: true,
      enable_event: true,
      enable_event_v2_translation: true,
      event_v2_translation_ignores_below_version: 0,
      enable_statekeys: true,
      batch_size: 10_000,
    },
    ...(traits.peerIdsInInfo ? { fullnode_network_peer_id_public: peer } : {}),
    ...(traits.chainInInfo ? { chain_id: String(ledger.chainId), node_type: settings.isValidator ? "Validator" : "PublicFullnode" } : {}),
  });
  return withoutHead(contentTypes.json, body);
}

/** `/v1/-/healthy`: whether the head is young enough; `nowUsec` is the node's own clock. */
export function readHealth(view: NodeView, format: BodyFormat, durationSecs: bigint | undefined, nowUsec: bigint): Answer {
  const { info } = view;
  if (durationSecs !== undefined && info.timestampUsec < nowUsec - durationSecs * 1_000_000n) {
    const seconds = `${info.timestampUsec / 1_000_000n}.${`${info.timestampUsec % 1_000_000n}`.padStart(6, "0")}`.replace(/\.?0+$/, "");
    const message = `The latest ledger info timestamp is ${seconds}s, which is beyond the allowed skew (${durationSecs}s).`;
    return apiError({ status: 503, code: "health_check_failed", message }, view);
  }
  const message = "aptos-node:ok";
  return success(view, format, format === "bcs" ? text(message) : jsonBody({ message }));
}

/** The page at `/`, outside of the API. */
export function welcomePage(): Answer {
  const body = Buffer.from(
    '<html><head><title>Node API</title></head><body><p>The REST API of this node begins at <a href="/v1">/v1</a>.</p></body></html>',
  );
  return withoutHead(contentTypes.html, body);
}
