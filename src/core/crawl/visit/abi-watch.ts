import type { DecodedModule } from "../../abi/decode.ts";
import type { RunWork } from "../run/run-work.ts";

/** What the comparison of a node's ABIs with the bytes has come to. */
export type AbiTally = {
  compared: number;
  /** Of these, ABIs that differ in ways which the node's build explains. */
  explained: number;
  /** Of these, ABIs that differ in a way that no build explains; each is a row of the view `findings`. */
  findings: number;
  /** The build that the ABIs' shape shows; undefined while none did. */
  build: string | undefined;
};

/** Compares the ABIs that a node prints with what the bytes say. */
export type AbiWatch = {
  readonly tally: AbiTally;
  /** Compares what a node printed for bytes that are already decoded. */
  compare(version: bigint, digest: Uint8Array, decoded: DecodedModule, printed: unknown): Promise<void>;
  /** Reads a random sample of a sealed snapshot's modules as JSON, one request each, and compares the ABIs in it. */
  crossCheck(work: RunWork, version: bigint, count: number): Promise<void>;
};

/** A node of which ABIs are compared, by its URL and its build, and where findings go. */
export type WatchedNode = Pick<RunWork, "engine" | "clock"> & { readonly url: string; readonly gitHash: string | null };

/** What compares the ABIs of a node in a run. It loads nothing before it has one to compare. */
export type WatchAbis = (node: WatchedNode) => AbiWatch;
