import type { Generation } from "./generation.ts";
import type { LedgerInfo, SimLedger } from "./ledger.ts";

/** How the ledger headers are spelled: as real nodes do, as the specification does, or both. */
export type HeaderSpelling = "aptos" | "node" | "both";

/** How a simulated node is set up. */
export type NodeSettings = {
  readonly generation: Generation;
  readonly headerSpelling: HeaderSpelling;
  /** Default and largest page of modules. */
  readonly maxPageSize: number;
  /** Whether the feature is on by which an account without a record is answered with a fresh one (not by generation A). */
  readonly statelessAccounts: boolean;
  /** Output formats that the operator switched off: they are refused with 403 `api_disabled`. */
  readonly disabledFormats: readonly ("json" | "bcs")[];
  /** The newest bytecode version that the node reads; what is newer is printed with `abi: null`. */
  readonly maxBytecodeVersion: number;
  readonly isValidator: boolean;
  readonly gitHash: string;
};

/** What one request sees: the ledger, and the head and horizon of the node that happens to answer. */
export type NodeView = { readonly ledger: SimLedger; readonly info: LedgerInfo; readonly settings: NodeSettings };
