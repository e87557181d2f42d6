import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import { buildOf, compareNodeAbi, type NodeBuild, type NodeHabit } from "../../abi/node-json/differences.ts";
import { formatHex } from "../../base/hex.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Clock } from "../../base/time/clock.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import type { Store } from "../../work/store.ts";

export type AbiTally = {
  readonly compared: number;
  /** Of these, ABIs that differ in ways which the node's build explains. */
  readonly explained: number;
  /** Of these, ABIs that differ in a way that no build explains; each is a row of the view `findings`. */
  readonly findings: number;
  /** How often each habit of the build occurred. */
  readonly habits: ReadonlyMap<NodeHabit, number>;
  /** The build that the ABIs' shape shows; undefined while none did. */
  readonly build: NodeBuild | undefined;
};

/** Compares the ABIs that a node prints with what the bytes say. Differences that no build explains are recorded as findings. */
export class AbiWatch {
  readonly #store: Pick<Store, "addFinding">;
  readonly #clock: Clock;
  readonly #origin: string;
  readonly #habits = new Map<NodeHabit, number>();
  #counts = { compared: 0, explained: 0, findings: 0 };
  #build: NodeBuild | undefined;

  /** `url` and `gitHash` name the node and its build. */
  constructor(work: {
    readonly store: Pick<Store, "addFinding">;
    readonly clock: Clock;
    readonly url: string;
    readonly gitHash: string | null;
  }) {
    this.#store = work.store;
    this.#clock = work.clock;
    this.#origin = work.gitHash === null ? work.url : `${work.url} (build ${work.gitHash})`;
  }

  get tally(): AbiTally {
    return { ...this.#counts, habits: this.#habits, build: this.#build };
  }

  /** Compares what a node printed for some bytes; does nothing for bytes that movedex cannot decode. */
  async comparePrinted(version: bigint, bytecode: Uint8Array, printed: unknown): Promise<void> {
    const decoded = ifDecodable(() => decodeModule(bytecode));
    if (decoded !== undefined) await this.compare(version, sha256(bytecode), decoded, printed);
  }

  /** The same for bytes that are already decoded. */
  async compare(version: bigint, digest: Uint8Array, decoded: DecodedModule, printed: unknown): Promise<void> {
    this.#build ??= buildOf(printed);
    const view = compareNodeAbi(decoded, printed, this.#build);
    this.#counts.compared += 1;
    if (view.kind === "agrees") {
      for (const habit of view.habits) this.#habits.set(habit, (this.#habits.get(habit) ?? 0) + 1);
      if (view.habits.length > 0) this.#counts.explained += 1;
      return;
    }
    this.#counts.findings += 1;
    const { place, derived, found } = view;
    const finding = { kind: "node_abi", subject: formatHex(digest), fromVersion: version, toVersion: version } as const;
    const values = { stored: `${place}: ${derived}`, found: `${place}: ${found}` };
    await this.#store.addFinding({ ...finding, ...values, origin: this.#origin }, this.#clock.now());
  }
}
