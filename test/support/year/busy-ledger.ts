import { SimLedger, writeModule } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/core/base/random.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { formatLongAddress, parseAddress } from "../../../src/core/move/address.ts";

const DAY_USEC = 86_400_000_000n;
/** A version every hundred seconds. */
const USEC_PER_VERSION = 100_000_000n;
const VERSIONS_PER_DAY = DAY_USEC / USEC_PER_VERSION;

/** A ledger that changes every other day: modules are added and upgraded (their ABI, or only their bytes), keys are rotated. */
export type BusyLedger = {
  readonly ledger: SimLedger;
  readonly addresses: readonly string[];
  /** Lets time pass up to a moment, with what happens until then. */
  readonly passTo: (atMs: number) => void;
  readonly timeOf: (version: bigint) => number;
  readonly msPerVersion: number;
  /** What stands at a version: `address::module` to SHA-256. */
  readonly modulesAt: (version: bigint) => ReadonlyMap<string, string>;
  /** The digest that a seal of all accounts at a version must have. */
  readonly digestAt: (version: bigint, without?: ReadonlySet<string>) => string;
  /** The versions at which modules changed after their first publication, and keys were rotated. */
  readonly changes: readonly { readonly version: bigint; readonly subject: string; readonly kind: "added" | "abi" | "bytes" | "key" }[];
};

/** Begins a ledger at a moment; `windowDays` is how far back its node can read. */
export function busyLedger(options: {
  readonly genesisMs: number;
  readonly seed: number;
  readonly accounts: number;
  readonly windowDays: number;
}): BusyLedger {
  const { genesisMs, seed, accounts, windowDays } = options;
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const ledger = new SimLedger({
    genesisUsec: BigInt(genesisMs) * 1000n,
    usecPerVersion: USEC_PER_VERSION,
    versionsPerBlock: 4n,
    window: BigInt(windowDays) * VERSIONS_PER_DAY,
  });
  const addresses = Array.from({ length: accounts }, (_, n) => `0x${((n + 1) * 0x1111 + seed).toString(16)}`);
  const changes: { version: bigint; subject: string; kind: "added" | "abi" | "bytes" | "key" }[] = [];
  const held = new Map<string, { interface: number; body: number }>();

  const code = (address: string, name: string): Uint8Array => {
    const { interface: face, body } = held.get(`${address}::${name}`) as { interface: number; body: number };
    return writeModule({ address, name, functions: [{ name: `f${face}`, visibility: "public", abortCode: body }] });
  };
  const publish = (address: string, name: string, change: "added" | "abi" | "bytes"): void => {
    const before = held.get(`${address}::${name}`) ?? { interface: 0, body: 0 };
    held.set(
      `${address}::${name}`,
      change === "abi" ? { ...before, interface: before.interface + 1 } : { ...before, body: before.body + 1 },
    );
    const version = ledger.transact((writer) => writer.publish(address, name, code(address, name)));
    changes.push({ version, subject: `${address}::${name}`, kind: change });
  };

  ledger.transact((writer) => {
    for (const address of addresses) {
      writer.account(address);
      held.set(`${address}::first`, { interface: 0, body: 0 });
      writer.publish(address, "first", code(address, "first"));
    }
  });

  const happen = (): void => {
    const address = addresses[below(addresses.length)] as string;
    const kind = (["abi", "abi", "bytes", "added", "key"] as const)[below(5)];
    if (kind === "key") {
      const authenticationKey = new Uint8Array(32).map(() => below(256));
      changes.push({ version: ledger.transact((writer) => writer.account(address, { authenticationKey })), subject: address, kind: "key" });
    } else if (kind === "added") publish(address, `m${held.size}`, "added");
    else publish(address, "first", kind ?? "abi");
  };

  const modulesAt = (version: bigint): Map<string, string> =>
    new Map(
      addresses.flatMap((address) =>
        ledger.modulesAt(address, version).map(({ name, code }) => [`${address}::${name}`, sha256Hex(code.bytes)] as const),
      ),
    );
  return {
    ledger,
    addresses,
    changes,
    timeOf: (version) => genesisMs + Number((version * USEC_PER_VERSION) / 1000n),
    msPerVersion: Number(USEC_PER_VERSION / 1000n),
    modulesAt,
    digestAt: (version, without = new Set()) => {
      const lines = [...modulesAt(version)].flatMap(([id, sha256]) => {
        const [address = "", name = ""] = id.split("::");
        return without.has(address) ? [] : [`${formatLongAddress(parseAddress(address) as never)}::${name} ${sha256}\n`];
      });
      return sha256Hex(lines.sort().join(""));
    },
    passTo: (atMs) => {
      const end = (BigInt(atMs - genesisMs) * 1000n) / USEC_PER_VERSION;
      for (;;) {
        // On average every second day.
        const next = ledger.head + 1n + BigInt(below(Number(VERSIONS_PER_DAY) * 4));
        if (next >= end) break;
        ledger.advanceTo(next - 1n);
        happen();
      }
      ledger.advanceTo(end);
    },
  };
}
