import type { ModuleCode } from "../../sim/ledger/module-code.ts";
import type { ObservedModule } from "../../src/archive/content/bytecodes.ts";
import { sha256 } from "../../src/base/sha256.ts";
import { type Address, formatAddress } from "../../src/move/address.ts";
import { modulesFrom, type RecordedModule, recordedModules } from "./recorded-modules.ts";

let read: readonly RecordedModule[] | undefined;

/** The address of the account of that number: scattered by its first bytes, as addresses are, the number in its last ones. */
export function addressOf(n: number): Address {
  const bytes = Buffer.from(sha256(`account ${n}`));
  bytes.writeBigUInt64BE(BigInt(n), 24);
  return formatAddress(bytes);
}

/** What an account holds: that many modules; `upgraded` puts the newest recorded version in the place of the first. */
export type Holding = { readonly modules: number; readonly upgraded: boolean };

/** The names of an account's modules: of each account other ones, until the recorded modules are used up. */
export function namesOfAccount(n: number, modules: number): string[] {
  return modulesFrom(recorded(), n * modules, modules).modules.map(({ name }) => name);
}

/** The recorded modules that an account holds, with its own address written over theirs: no two accounts share a byte sequence. */
export function modulesOfAccount(n: number, { modules, upgraded }: Holding): ObservedModule[] {
  const address = addressOf(n);
  const held = modulesFrom(recorded(), n * modules, modules).modules;
  const [first] = held;
  const later = upgraded && first !== undefined ? recorded().findLast(({ name }) => name === first.name) : undefined;
  return held.map((module, i) => {
    const { code, address: own, name } = i === 0 && later !== undefined ? later : module;
    return observed(name, code.publishedAt(address, own));
  });
}

function recorded(): readonly RecordedModule[] {
  read ??= recordedModules();
  return read;
}

function observed(name: string, code: ModuleCode): ObservedModule {
  return { name, sha256: sha256(code.bytes), content: { code: code.bytes, bytecodeVersion: code.bytecodeVersion } };
}
