import { type Address, addressBytes } from "../../src/core/move/address.ts";
import type { AccountResource } from "../ledger/account-state.ts";
import type { LedgerInfo } from "../ledger/ledger.ts";
import type { ModuleCode } from "../ledger/module-code.ts";
import { uleb } from "../ledger/state-key.ts";

/**
 * An account record as the chain stores it: key, sequence number, counter of guids, two event handles with their
 * guids, two offers. Source: aptos-core `types/src/account_config/resources/core_account.rs`.
 */
export function accountBcs(address: Address, record: AccountResource): Uint8Array {
  return Buffer.concat([
    lengthPrefixed(record.authenticationKey),
    u64(record.sequenceNumber),
    u64(record.guidCreationNumber),
    eventHandle(address, 0n),
    eventHandle(address, 1n),
    option(record.rotationOfferedTo),
    option(record.signerOfferedTo),
  ]);
}

/** A page of modules as a map from `0xaddr::name` to bytecode, sorted by the serialized key. */
export function modulesBcs(address: Address, modules: readonly { readonly name: string; readonly code: ModuleCode }[]): Uint8Array {
  const entries = modules.map(({ name, code }) => ({ key: lengthPrefixed(Buffer.from(`${address}::${name}`)), code }));
  entries.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat([uleb(entries.length), ...entries.flatMap(({ key, code }) => [key, uleb(code.bytes.length), code.bytes])]);
}

/** The index; u64 values are decimal text here too, and neither git hash nor encryption key is in it. */
export function indexBcs(info: LedgerInfo, isValidator: boolean): Uint8Array {
  return Buffer.concat([
    Buffer.of(info.chainId),
    text(info.epoch),
    text(info.head),
    text(info.oldest),
    text(info.timestampUsec),
    uleb(isValidator ? 0 : 1),
    text(info.oldestBlockHeight),
    text(info.blockHeight),
  ]);
}

/** A string: its length in bytes, then its UTF-8. */
export function text(value: string | bigint): Uint8Array {
  return lengthPrefixed(Buffer.from(value.toString(), "utf8"));
}

function lengthPrefixed(bytes: Uint8Array): Buffer {
  return Buffer.concat([uleb(bytes.length), bytes]);
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function eventHandle(address: Address, creationNumber: bigint): Buffer {
  return Buffer.concat([u64(0n), u64(creationNumber), addressBytes(address)]);
}

function option(address: Address | undefined): Uint8Array {
  return address === undefined ? Buffer.of(0) : Buffer.concat([Buffer.of(1), addressBytes(address)]);
}
