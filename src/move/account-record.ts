/**
 * An account's record at a ledger version. A node may give one for an address that was never used: sequence number 0 and
 * the address itself as key. So a record proves nothing about existence (node-contract, section 8.1).
 */
export type AccountRecord = {
  readonly sequenceNumber: bigint;
  /** 32 bytes. */
  readonly authenticationKey: Uint8Array;
  /** The `0x1::account::Account` resource as the chain stores it; null when the node answered in JSON. */
  readonly resource: Uint8Array | null;
};
