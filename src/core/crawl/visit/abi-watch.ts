import type { DecodedModule } from "../../abi/decode.ts";
import type { NodeBuild } from "../../abi/node-json/differences.ts";
import { formatHex } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Clock } from "../../base/time.ts";
import { sourceQueries } from "../../db/archive/nodes/sources.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { ifDecodable } from "../../move/decode-error.ts";

export type AbiWatch = ReturnType<typeof watchAbis>;
export type AbiTally = AbiWatch["tally"];

type AbiWatchWork = {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly url: string;
  readonly gitHash: string | null;
};

/** Compares the ABIs that a node prints with what the bytes say. Differences that no build explains are recorded as findings. */
export function watchAbis({ engine, clock, url, gitHash }: AbiWatchWork) {
  const tally = {
    compared: 0,
    /** Of these, ABIs that differ in ways which the node's build explains. */
    explained: 0,
    /** Of these, ABIs that differ in a way that no build explains; each is a row of the view `findings`. */
    findings: 0,
    /** The build that the ABIs' shape shows; undefined while none did. */
    build: undefined as NodeBuild | undefined,
  };

  /** Compares what a node printed for bytes that are already decoded. */
  async function compare(version: bigint, digest: Uint8Array, decoded: DecodedModule, printed: unknown): Promise<void> {
    const { buildOf, compareNodeAbi } = await import("../../abi/node-json/differences.ts");
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

  return {
    tally,
    compare,
    /** The same for bytes as they came; does nothing for those that movedex cannot decode. */
    comparePrinted: async (version: bigint, bytecode: Uint8Array, printed: unknown): Promise<void> => {
      const { decodeModule } = await import("../../abi/decode.ts");
      const decoded = ifDecodable(() => decodeModule(bytecode));
      if (decoded !== undefined) await compare(version, sha256(bytecode), decoded, printed);
    },
  };
}
