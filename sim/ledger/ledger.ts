import { type Address, parseAddress } from "../../src/core/move/address.ts";
import { writeModule } from "../module-writer/module-writer.ts";
import { type AccountResource, AccountState, freshRecord } from "./account-state.ts";
import { ModuleCode } from "./module-code.ts";

/** How a ledger's versions map to blocks, epochs and time. All of it is a function of the version alone. */
export type LedgerOptions = {
  /** Default 4, a chain of our own. */
  readonly chainId?: number;
  /** Default 10. Every block has as many, so that round versions are block starts. */
  readonly versionsPerBlock?: bigint;
  /** Default 10,000. */
  readonly versionsPerEpoch?: bigint;
  /** Time of version 0 in microseconds since 1970; default 2026-01-01. */
  readonly genesisUsec?: bigint;
  /** Default 10,000: a hundred versions a second. */
  readonly usecPerVersion?: bigint;
  /** How many versions below the head stay readable; older ones are pruned as the head moves. Default: all. */
  readonly window?: bigint;
  /** Gives accounts that nothing was written to, so that there can be millions without memory for each. */
  readonly generated?: (address: Address) => AccountState | undefined;
};

/** One node's view of the ledger at one moment: the values of the seven headers. Times in microseconds. */
export type LedgerInfo = {
  readonly chainId: number;
  readonly head: bigint;
  readonly oldest: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  readonly oldestBlockHeight: bigint;
};

/** The writes of one version. */
export type LedgerWriter = {
  /** Publishes or upgrades. */
  readonly publish: (address: string, name: string, code: ModuleCode | Uint8Array) => void;
  /** Removes a module, which happens only when a test network is reset. */
  readonly remove: (address: string, name: string) => void;
  /** Makes an account, or sets parts of its record. */
  readonly account: (address: string, record?: Partial<AccountResource>) => void;
  /** Puts an object where there is no account: code may live there, and no record does. */
  readonly object: (address: string) => void;
};

const defaults = {
  chainId: 4,
  versionsPerBlock: 10n,
  versionsPerEpoch: 10_000n,
  genesisUsec: BigInt(Date.UTC(2026, 0)) * 1000n,
  usecPerVersion: 10_000n,
};

/** What stands at 0x1 where no code was written to it: every ledger begins with some there. */
const framework = new AccountState();
framework.record.write(0n, freshRecord("0x1" as Address));
framework.write(0n, "account", new ModuleCode(writeModule({ address: "0x1", name: "account" })));

/** A ledger in memory: accounts and modules at every version since 0, a head that advances, a horizon that follows. */
export class SimLedger {
  readonly chainId: number;
  readonly #options: LedgerOptions & typeof defaults;
  readonly #accounts = new Map<Address, AccountState>();
  #head = 0n;
  #oldest = 0n;

  constructor(options: LedgerOptions = {}) {
    this.#options = { ...defaults, ...options };
    this.chainId = this.#options.chainId;
  }

  /** The newest version. */
  get head(): bigint {
    return this.#head;
  }

  /** The oldest version that is still answered; always the start of a block. */
  get oldest(): bigint {
    return this.#oldest;
  }

  /** Writes at the next version, or at 0 with `genesis`, and returns that version. */
  transact(write: (writer: LedgerWriter) => void): bigint {
    this.advance(1n);
    this.#write(write);
    return this.#head;
  }

  /** Writes at version 0, before anything else happens. */
  genesis(write: (writer: LedgerWriter) => void): void {
    if (this.#head !== 0n) throw new RangeError(`genesis is version 0, and the head is at ${this.#head}`);
    this.#write(write);
  }

  /** `count` versions pass in which nothing happens to accounts and modules. */
  advance(count: bigint): void {
    if (count < 0n) throw new RangeError("a ledger does not go back");
    this.#head += count;
    const { window } = this.#options;
    if (window !== undefined && this.#head > window) this.pruneTo(this.#head - window);
  }

  advanceTo(version: bigint): void {
    this.advance(version - this.#head);
  }

  /** Moves the horizon to the first block start at or after `version`; never back. */
  pruneTo(version: bigint): void {
    const { versionsPerBlock } = this.#options;
    const start = ((version + versionsPerBlock - 1n) / versionsPerBlock) * versionsPerBlock;
    if (start > this.#head) throw new RangeError(`cannot prune to ${start}: the head is at ${this.#head}`);
    if (start > this.#oldest) this.#oldest = start;
  }

  /** Moves the horizon back, as a node does for a moment after a restart. */
  unpruneTo(version: bigint): void {
    if (version < this.#oldest) this.#oldest = version;
  }

  /** An address's state at all versions. */
  account(address: Address): AccountState | undefined {
    const written = this.#written(address);
    if (address !== "0x1" || (written !== undefined && written.slots.length > 0)) return written;
    return written === undefined ? framework : new AccountState(written.record, framework.slots, written.isObject);
  }

  /** The sequence number that stands at the head; 0 where there is no account. */
  sequenceNumber(address: string): bigint {
    return this.account(requireAddress(address))?.record.at(this.#head)?.sequenceNumber ?? 0n;
  }

  /** The modules of an address at a version in state-key order: for what a test expects. */
  modulesAt(address: string, version: bigint): { readonly name: string; readonly code: ModuleCode }[] {
    const slots = this.account(requireAddress(address))?.slots ?? [];
    return slots.flatMap(({ name, code }) => {
      const standing = code.at(version);
      return standing ? [{ name, code: standing }] : [];
    });
  }

  /** Every address that was ever written to (generated ones are not among them). */
  addresses(): Address[] {
    return [...this.#accounts.keys()];
  }

  /** The headers of a node that lags by `behind` versions. */
  info(behind = 0n): LedgerInfo {
    const { versionsPerBlock, versionsPerEpoch, genesisUsec, usecPerVersion } = this.#options;
    const head = behind > this.#head ? 0n : this.#head - behind;
    const oldest = this.#oldest > head ? head : this.#oldest;
    return {
      chainId: this.chainId,
      head,
      oldest,
      timestampUsec: genesisUsec + head * usecPerVersion,
      epoch: head / versionsPerEpoch + 1n,
      blockHeight: head / versionsPerBlock,
      oldestBlockHeight: oldest / versionsPerBlock,
    };
  }

  #write(write: (writer: LedgerWriter) => void): void {
    const version = this.#head;
    write({
      publish: (address, name, code) => {
        this.#open(address).write(version, name, code instanceof ModuleCode ? code : new ModuleCode(code));
      },
      remove: (address, name) => this.#open(address).write(version, name, undefined),
      account: (address, record = {}) => {
        const state = this.#open(address);
        const before = state.record.at(version) ?? freshRecord(requireAddress(address));
        state.record.write(version, { ...before, ...record });
      },
      object: (address) => this.#open(address).isObject.write(version, true),
    });
  }

  #written(address: Address): AccountState | undefined {
    return this.#accounts.get(address) ?? this.#options.generated?.(address);
  }

  #open(text: string): AccountState {
    const address = requireAddress(text);
    const state = this.#written(address) ?? new AccountState();
    this.#accounts.set(address, state);
    return state;
  }
}

function requireAddress(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new TypeError(`\`${text}\` is not an account address`);
  return address;
}
