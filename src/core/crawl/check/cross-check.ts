import { forEachConcurrent } from "../../base/async.ts";
import { equalBytes, formatHex } from "../../base/bytes.ts";
import { seededRandom } from "../../base/numbers.ts";
import { sha256 } from "../../base/sha256.ts";
import { sourceQueries } from "../../db/archive/nodes/sources.ts";
import { type SampledModule, sampleModules } from "../../db/archive/read/sampling.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import { failedAnswer } from "../visit/classify-failure.ts";

/**
 * Reads a random sample of a sealed snapshot's modules as JSON, one request each, and compares the ABIs in it. Other bytes
 * than those stored are a finding of their own. Modules that the node does not answer for are left out of the sample.
 */
export async function crossCheck(work: RunWork, watch: AbiWatch, version: bigint, count: number): Promise<void> {
  const { engine, node, clock, stop, concurrency } = work;
  const random = seededRandom(Number(BigInt.asUintN(32, version)));
  const check = async ({ address, name, sha256: stored }: SampledModule): Promise<void> => {
    try {
      const { value } = await node.module(address, name, { version, encoding: "json" }, stop.signal);
      if (!equalBytes(sha256(value.bytecode), stored)) {
        const subject = `${address}::${name}`;
        const found = formatHex(sha256(value.bytecode));
        const finding = { kind: "module", subject, fromVersion: version, toVersion: version, stored: formatHex(stored), found } as const;
        await sourceQueries(engine).addFinding({ ...finding, origin: node.url }, clock.now());
      } else if (value.abi !== undefined) await watch.comparePrinted(version, value.bytecode, value.abi);
    } catch (error) {
      failedAnswer(error, stop);
    }
  };
  await forEachConcurrent(await sampleModules(engine, { version, count, random }), concurrency, check, () => stop.reason !== undefined);
}
