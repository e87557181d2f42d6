import { type Address, addressBytes } from "../../src/core/move/address.ts";
import type { ModuleCode } from "./module-code.ts";
import { moduleOrder, moduleStateKey } from "./state-key.ts";
import { countBefore, Timeline } from "./timeline.ts";

/** What an account's `0x1::account::Account` holds, as far as the account endpoint shows it. */
export type AccountResource = {
  readonly sequenceNumber: bigint;
  /** 32 bytes. */
  readonly authenticationKey: Uint8Array;
  readonly guidCreationNumber: bigint;
  readonly rotationOfferedTo?: Address;
  readonly signerOfferedTo?: Address;
};

/** A module's name, and its bytecode at every version; undefined where there was none. */
export type ModuleSlot = { readonly name: string; readonly order: string; readonly code: Timeline<ModuleCode | undefined> };

/** The record of a new account: sequence number 0, its address as key. */
export function freshRecord(address: Address): AccountResource {
  return { sequenceNumber: 0n, authenticationKey: addressBytes(address), guidCreationNumber: 2n };
}

/** One account through time: its record, whether an object lives there, and its modules in state-key order. */
export class AccountState {
  readonly record: Timeline<AccountResource | undefined>;
  readonly isObject: Timeline<boolean>;
  /** Every module that was ever here, in state-key order. */
  slots: readonly ModuleSlot[];

  constructor(
    record: Timeline<AccountResource | undefined> = new Timeline(),
    slots: readonly ModuleSlot[] = [],
    isObject: Timeline<boolean> = new Timeline(),
  ) {
    this.record = record;
    this.slots = slots;
    this.isObject = isObject;
  }

  find(name: string): ModuleSlot | undefined {
    const order = moduleOrder(name);
    const slot = this.slots[this.#position(order)];
    return slot?.order === order ? slot : undefined;
  }

  /** The index of the first slot whose state key is not below the bytes of `key`. */
  seek(account: Address, key: Uint8Array): number {
    return countBefore(this.slots, ({ name }) => Buffer.compare(moduleStateKey(account, name), key) < 0);
  }

  /** Sets (or, with undefined, removes) a module from `version` on. Slots shared with other accounts are left as they are. */
  write(version: bigint, name: string, code: ModuleCode | undefined): void {
    const order = moduleOrder(name);
    const position = this.#position(order);
    const slot = this.slots[position];
    if (slot?.order === order) {
      const copy = slot.code.copy();
      copy.write(version, code);
      this.slots = this.slots.with(position, { ...slot, code: copy });
    } else {
      this.slots = this.slots.toSpliced(position, 0, { name, order, code: new Timeline(version, code) });
    }
  }

  #position(order: string): number {
    return countBefore(this.slots, (slot) => slot.order < order);
  }
}
