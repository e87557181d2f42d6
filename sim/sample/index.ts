import { SimLedger } from "../ledger/ledger.ts";
import { type ModuleSpec, writeModule } from "../module-writer/module-writer.ts";
import { exchangeAddress, exchangeModules } from "./exchange.ts";
import { frameworkModules } from "./framework.ts";
import { entry, enumeration, event, friendly, grouped, hidden, linked, open, reasons, struct, unlinked, view } from "./specs.ts";

/** An object that holds code and has no account record. */
const vestingAddress = "0xd1e70c3a98b54f26e17bd0934a6c85f2037de94b16ac58f30b72c1d964ea85f7";

/** Coins that are released over time, published to an object. */
const vestingModules: readonly ModuleSpec[] = [
  {
    address: vestingAddress,
    name: "vesting",
    version: 6,
    structs: [
      struct("Schedule", "key", { locked: "0x1::coin::Coin<T0>", start_seconds: "u64", end_seconds: "u64", beneficiary: "address" }, [
        "phantom",
      ]),
    ],
    functions: [
      entry("lock", ["&signer", "address", "u64", "u64"], { typeParams: [""], calls: ["0x1::signer::address_of"] }),
      entry("claim", ["&signer", "address"], {
        typeParams: [""],
        acquires: ["Schedule"],
        calls: ["0x1::signer::address_of", "0x1::coin::transfer<T0>"],
      }),
      view("claimable", ["address", "u64"], ["u64"], { typeParams: [""], acquires: ["Schedule"] }),
      friendly("revoke", ["address"], ["0x1::coin::Coin<T0>"], { typeParams: [""], acquires: ["Schedule"] }),
    ],
    errors: reasons(["ENOTHING_DUE", "Nothing can be claimed yet"], ["ENOT_BENEFICIARY", "Only the beneficiary may claim"]),
    dependencies: ["0x1::signer"],
  },
].map((module) => linked(module, frameworkModules));

/** An address with a leading zero, which a node does not print. */
export const badgesAddress = "0x0b1f6e92ad7741c3508fe64d19ba7230c55e8da3f94167b20c8d3ae1576f09b4";

const printed = badgesAddress.replace("0x0", "0x");

/** An application that hands out badges: objects in a resource group, an enum, functions as values. */
export function badgeModules(options: { withSeasonal: boolean }): readonly ModuleSpec[] {
  return [
    {
      address: badgesAddress,
      name: "badge",
      version: 8,
      structs: [
        grouped("Badge", "0x1::object::ObjectGroup", {
          title: "0x1::string::String",
          rank: `${printed}::badge::Rank`,
          holder: "0x1::option::Option<address>",
        }),
        enumeration("Rank", "copy drop store", {
          Common: {},
          Rare: { number: "u32" },
          ...(options.withSeasonal ? { Seasonal: { season: "u16" } } : {}),
        }),
        event("Awarded", { badge: "address", holder: "address" }),
      ],
      functions: [
        entry("award", ["&signer", "address", "0x1::string::String"], {
          calls: ["0x1::signer::address_of", `${printed}::badge::next_number`, `0x1::event::emit<${printed}::badge::Awarded>`],
        }),
        view("rank_of", [`0x1::object::Object<${printed}::badge::Badge>`], [`${printed}::badge::Rank`], { acquires: ["Badge"] }),
        open("count_where", ["vector<address>", "|address|bool"], ["u64"]),
        hidden("draw", ["&signer"], [], { entry: true, attributes: [{ kind: 5, args: ["20000"] }] }),
        // Nodes list a private view function since 2026.
        hidden("next_number", [], ["u32"], { attributes: [{ kind: 1 }] }),
      ],
      errors: reasons(["ENOT_JUDGE", "Only a judge may award a badge"], ["ESOLD_OUT", "No badge of this rank is left"]),
      dependencies: ["0x1::event", "0x1::signer"],
    },
  ].map((module) => linked(module, frameworkModules));
}

/** A small ledger of our own writing, with a day that can pass. */
export type SampleLedger = {
  readonly ledger: SimLedger;
  /** Where code stands, as the node prints addresses: framework, badges, exchange, vesting. */
  readonly codeAccounts: readonly string[];
  /** An account that has sent transactions and holds no code. */
  readonly trader: string;
  /**
   * A day passes, once: the exchange upgrades `pool` (a view function goes, another comes) and publishes `orders`,
   * badges gain a variant, the trader rotates its key. Returns at which version each of it happened.
   */
  readonly passDay: () => DayOfChanges;
};

/** The versions at which the day's changes took effect. */
type DayOfChanges = {
  readonly badgeUpgraded: bigint;
  readonly poolUpgraded: bigint;
  readonly ordersPublished: bigint;
  readonly keyRotated: bigint;
};

/** Ten versions a second. */
const VERSIONS_PER_DAY = 864_000n;
const trader = "0x35c0ffee7d2249be8a11f6c40d9e5b7308a2fd6ce14b9907523da8e6f1c47d90";

/**
 * The sample ledger after three days, of which its node has about the last two. Chain id 4, ten versions a second; bytecode 6 to 10.
 * Without calls its bytes are those of the archives that the first movedex made.
 */
export function createSampleLedger({ withCalls = true }: { readonly withCalls?: boolean } = {}): SampleLedger {
  const ledger = new SimLedger({ usecPerVersion: 100_000n, window: 2n * VERSIONS_PER_DAY });
  const bytesOf = (spec: ModuleSpec): Uint8Array => writeModule(withCalls ? spec : unlinked(spec));
  const publish = (modules: readonly ModuleSpec[]): bigint =>
    ledger.transact((writer) => {
      for (const spec of modules) writer.publish(spec.address, spec.name, bytesOf(spec));
    });
  ledger.genesis((writer) => {
    writer.account("0x1");
    for (const spec of frameworkModules) writer.publish(spec.address, spec.name, bytesOf(spec));
  });
  ledger.transact((writer) => {
    for (const address of [exchangeAddress, badgesAddress]) writer.account(address, { sequenceNumber: 1n });
    writer.account(trader, { sequenceNumber: 12n });
    writer.object(vestingAddress);
  });
  publish([...exchangeModules.atFirst, ...badgeModules({ withSeasonal: false }), ...vestingModules]);
  ledger.advanceTo(3n * VERSIONS_PER_DAY);
  return {
    ledger,
    codeAccounts: ["0x1", badgesAddress.replace("0x0", "0x"), exchangeAddress, vestingAddress],
    trader,
    passDay: () => passDay(ledger, publish),
  };
}

function passDay(ledger: SimLedger, publish: (modules: readonly ModuleSpec[]) => bigint): DayOfChanges {
  const hours = (count: bigint): void => ledger.advance((count * VERSIONS_PER_DAY) / 24n);
  hours(5n);
  const badgeUpgraded = publish(badgeModules({ withSeasonal: true }));
  hours(4n);
  const poolUpgraded = publish([exchangeModules.upgradedPool]);
  const ordersPublished = publish([exchangeModules.newModule]);
  hours(7n);
  const keyRotated = ledger.transact((writer) => {
    writer.account(trader, { sequenceNumber: 13n, authenticationKey: Buffer.alloc(32, 0x5a) });
    writer.account(exchangeAddress, { sequenceNumber: 3n });
  });
  hours(8n);
  return { badgeUpgraded, poolUpgraded, ordersPublished, keyRotated };
}
