import type { ModuleAbi } from "../../abi/model.ts";
import type { AccountRecord } from "../../move/account-record.ts";
import type { Address } from "../../move/address.ts";

/** A module name that can be stored. Without line breaks, which would give two different snapshots the same digest. */
export const STORABLE_NAME = /^[^\s\p{Cc}]{1,65535}$/u;

/** A module's bytes as they came. The rows of their ABI follow later, see `DeriveStore`. */
export type ModuleContent = {
  readonly code: Uint8Array;
  /** Null when the bytes do not say. */
  readonly bytecodeVersion: number | null;
  /** The node's own ABI, where it gave one for bytes that movedex cannot decode. */
  readonly nodeAbi?: ModuleAbi;
};

/** One module of a full listing. `content` is needed when the store does not know the SHA-256 yet. */
export type ObservedModule = { readonly name: string; readonly sha256: Uint8Array; readonly content?: ModuleContent };

/**
 * All that one visit saw: the account's record (null: the node says there is none; undefined: it was not asked for) and the
 * full listing of its modules.
 */
export type Visit = {
  readonly address: Address;
  readonly account: AccountRecord | null | undefined;
  readonly modules: readonly ObservedModule[];
};

/** Why a target was not answered for. */
export type Gap = {
  readonly address: Address;
  /** Class of the failure, a word of the caller's. */
  readonly reason: string;
  readonly errorCode: string | null;
  readonly httpStatus: number | null;
  readonly message: string;
  readonly attempts: number;
  /** Whether trying again cannot help: the version is pruned. */
  readonly isFinal: boolean;
};
