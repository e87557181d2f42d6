import { SimLedger } from "../ledger/ledger.ts";
import { type ModuleSpec, writeModule } from "../module-writer/module-writer.ts";
import { badgeModules, badgesAddress } from "./badges.ts";
import { exchangeAddress, exchangeModules } from "./exchange.ts";
import { frameworkModules } from "./framework.ts";
import { vestingAddress, vestingModules } from "./vesting.ts";

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

/** The sample ledger after three days, of which its node has about the last two. Chain id 4, ten versions a second; bytecode 6 to 10. */
export function createSampleLedger(): SampleLedger {
  const ledger = new SimLedger({ usecPerVersion: 100_000n, window: 2n * VERSIONS_PER_DAY });
  const publish = (modules: readonly ModuleSpec[]): bigint =>
    ledger.transact((writer) => {
      for (const spec of modules) writer.publish(spec.address, spec.name, writeModule(spec));
    });
  ledger.genesis((writer) => {
    writer.account("0x1");
    for (const spec of frameworkModules) writer.publish(spec.address, spec.name, writeModule(spec));
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
