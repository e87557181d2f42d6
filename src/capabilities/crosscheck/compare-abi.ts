import type { DecodedModule } from "../../core/abi/decode.ts";
import { formatHex } from "../../core/base/bytes.ts";
import type { AbiTally, WatchedNode } from "../../core/crawl/visit/abi-watch.ts";
import { sourceQueries } from "../../core/db/archive/nodes/sources.ts";
import { buildOf, compareNodeAbi, type NodeBuild } from "./differences.ts";

/** What was compared so far, with the build that the ABIs' shape shows; undefined while none did. */
export type Tally = AbiTally & { build: NodeBuild | undefined };

/** Compares what a node printed with what the bytes say. A difference that no build explains is recorded as a finding. */
export async function compareAbi(
  { engine, clock, url, gitHash }: WatchedNode,
  tally: Tally,
  version: bigint,
  digest: Uint8Array,
  decoded: DecodedModule,
  printed: unknown,
): Promise<void> {
  tally.build ??= buildOf(printed);
  const view = compareNodeAbi(decoded, printed, tally.build);
  tally.compared += 1;
  if (view.kind === "agrees") {
    if (view.isExplained) tally.explained += 1;
    return;
  }
  tally.findings += 1;
  const { place, derived, found } = view;
  const finding = { kind: "node_abi", subject: formatHex(digest), fromVersion: version, toVersion: version } as const;
  const values = { stored: `${place}: ${derived}`, found: `${place}: ${found}` };
  const origin = gitHash === null ? url : `${url} (build ${gitHash})`;
  await sourceQueries(engine).addFinding({ ...finding, ...values, origin }, clock.now());
}
