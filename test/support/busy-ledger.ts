import { SimLedger, writeModule } from "../../sim/index.ts";
import { seededRandom } from "../../src/core/base/numbers.ts";
import { sha256Hex } from "../../src/core/base/sha256.ts";

const DAY_MS = 86_400_000;
export const MS_PER_VERSION = 100_000;
const VERSIONS_PER_DAY = DAY_MS / MS_PER_VERSION;

/** A ledger that changes every other day: modules are added and upgraded (their ABI, or only their bytes), keys are rotated. */
export type BusyLedger = ReturnType<typeof busyLedger>;

/** Begins a ledger at a moment; `windowDays` is how far back its node can read. */
export function busyLedger(
  genesisMs: number,
  { seed, accounts, windowDays }: Readonly<Record<"seed" | "accounts" | "windowDays", number>>,
) {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const ledger = new SimLedger({
    genesisUsec: BigInt(genesisMs) * 1000n,
    usecPerVersion: BigInt(MS_PER_VERSION) * 1000n,
    versionsPerBlock: 4n,
    window: BigInt(windowDays * VERSIONS_PER_DAY),
  });
  const addresses = Array.from({ length: accounts }, (_, n) => `0x${((n + 1) * 0x1111 + seed).toString(16)}`);
  /** The versions at which modules changed after their first publication, and keys were rotated. */
  const changes: { readonly version: bigint; readonly subject: string }[] = [];
  /** The only function of each module. */
  const functions = new Map<string, string>();

  const codeOf = (address: string, name: string, isOtherAbi: boolean): Uint8Array => {
    const [id, number] = [`${address}::${name}`, changes.length];
    if (isOtherAbi || !functions.has(id)) functions.set(id, `f${number}`);
    return writeModule({ address, name, functions: [{ name: functions.get(id) as string, visibility: "public", abortCode: number }] });
  };
  const happen = (): void => {
    const address = addresses[below(addresses.length)] as string;
    const kind = (["key", "added", "bytes", "abi", "abi"] as const)[below(5)];
    const name = kind === "added" ? `m${changes.length}` : "first";
    const authenticationKey = new Uint8Array(32).map(() => below(256));
    const version = ledger.transact((writer) =>
      kind === "key"
        ? writer.account(address, { authenticationKey })
        : writer.publish(address, name, codeOf(address, name, kind === "abi")),
    );
    changes.push({ version, subject: kind === "key" ? address : `${address}::${name}` });
  };
  ledger.transact((writer) => {
    for (const address of addresses) {
      writer.account(address);
      writer.publish(address, "first", codeOf(address, "first", true));
    }
  });

  return {
    ledger,
    addresses,
    changes,
    /** What stands at a version at all accounts or at some: `address::module` to SHA-256. */
    modulesAt: (version: bigint, at: readonly string[] = addresses): ReadonlyMap<string, string> =>
      new Map(
        at.flatMap((address) =>
          ledger.modulesAt(address, version).map(({ name, code }) => [`${address}::${name}`, sha256Hex(code.bytes)] as const),
        ),
      ),
    timeOf: (version: bigint): number => genesisMs + Number(version) * MS_PER_VERSION,
    /** Lets time pass up to a moment, with what happens until then: something every second day on average. */
    passTo: (atMs: number): void => {
      const end = BigInt(Math.floor((atMs - genesisMs) / MS_PER_VERSION));
      for (;;) {
        const next = ledger.head + 1n + BigInt(below(VERSIONS_PER_DAY * 4));
        if (next >= end) break;
        ledger.advanceTo(next - 1n);
        happen();
      }
      ledger.advanceTo(end);
    },
  };
}
