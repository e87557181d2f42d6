import type { Address } from "../../move/address.ts";
import type { SearchKind } from "../content/search-words.ts";

/** One thing that was found. Names and texts are as on chain: hostile until printed. */
export type SearchHit = {
  readonly kind: SearchKind;
  readonly address: Address;
  readonly module: string;
  /** Name of the function, struct or error constant; the module's own for a module. */
  readonly name: string;
  /** The reason in an abort code, for errors only. */
  readonly code: string | null;
  /** A function's declaration, a struct's fields and variants, an error's description; empty for a module. */
  readonly text: string;
  /**
   * The first and the last sealed snapshot that showed it; of several definitions, the latest is the one described. Null for what
   * was imported as a file of bytecode, which no snapshot shows.
   */
  readonly firstVersion: bigint | null;
  /** Null while it stands at the newest snapshot that covers the account, and for imported files. */
  readonly lastVersion: bigint | null;
};
