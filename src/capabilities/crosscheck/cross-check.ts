import { type DecodedModule, decodeModule } from "../../core/abi/decode.ts";
import { forEachConcurrent } from "../../core/base/async.ts";
import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { seededRandom } from "../../core/base/numbers.ts";
import { sha256 } from "../../core/base/sha256.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import type { AbiTally, WatchedNode } from "../../core/crawl/visit/abi-watch.ts";
import { failedAnswer } from "../../core/crawl/visit/classify-failure.ts";
import { sourceQueries } from "../../core/db/archive/nodes/sources.ts";
import { type SampledModule, sampleModules } from "../../core/db/archive/read/sampling.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";
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

/**
 * Reads a random sample of a sealed snapshot's modules as JSON, one request each, and compares the ABIs in it. Other bytes
 * than those stored are a finding of their own. Modules that the node does not answer for, or that movedex cannot decode, are left out.
 */
export async function crossCheck(watched: WatchedNode, tally: Tally, work: RunWork, version: bigint, count: number): Promise<void> {
  const { engine, node, clock, stop, concurrency } = work;
  const random = seededRandom(Number(BigInt.asUintN(32, version)));
  const check = async ({ address, name, sha256: stored }: SampledModule): Promise<void> => {
    try {
      const { value } = await node.module(address, name, { version, encoding: "json" }, stop.signal);
      const digest = sha256(value.bytecode);
      if (!equalBytes(digest, stored)) {
        const subject = `${address}::${name}`;
        const found = formatHex(digest);
        const finding = { kind: "module", subject, fromVersion: version, toVersion: version, stored: formatHex(stored), found } as const;
        await sourceQueries(engine).addFinding({ ...finding, origin: node.url }, clock.now());
        return;
      }
      const decoded = value.abi === undefined ? undefined : ifDecodable(() => decodeModule(value.bytecode));
      if (decoded !== undefined) await compareAbi(watched, tally, version, digest, decoded, value.abi);
    } catch (error) {
      failedAnswer(error, stop);
    }
  };
  await forEachConcurrent(await sampleModules(engine, { version, count, random }), concurrency, check, () => stop.reason !== undefined);
}
