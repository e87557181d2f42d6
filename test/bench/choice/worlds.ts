import { seededRandom } from "../../../src/core/base/random.ts";

export const worldNames = ["zipf 0.8", "zipf 1.2", "bursty", "dormant", "weekly", "new projects", "framework"] as const;
export type WorldName = (typeof worldNames)[number];

/** What happens in a world: of each account and night the expected number of changes and the real one, row by row of nights. */
export type World = {
  readonly accounts: number;
  readonly nights: number;
  /** The night in which each account comes onto the list; 0 for those that are there from the beginning. */
  readonly listedAt: Uint16Array;
  readonly rate: Float32Array;
  readonly changes: Uint8Array;
  /** When in the day before its night each change came, from 0 to 1, by row: one moment for the changes of one night. */
  readonly moment: Float32Array;
};

const ACCOUNTS = 600;
/** Changes a night of all accounts together, where rates follow Zipf's law. */
const ZIPF_CHANGES = 30;

export function makeWorld(name: WorldName, nights: number, seed: number): World {
  const random = seededRandom(seed * 7919 + worldNames.indexOf(name));
  const perNight = name === "new projects" ? 2 : 0;
  const accounts = ACCOUNTS + perNight * (nights - 1);
  const listedAt = new Uint16Array(accounts);
  const rate = new Float32Array(nights * accounts);
  const set = (account: number, from: number, to: number, value: number): void => {
    for (let night = Math.max(from, 0); night < Math.min(to, nights); night++) rate[night * accounts + account] = value;
  };
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  const zipf = (exponent: number, total: number): void => {
    const order = Array.from({ length: ACCOUNTS }, (_, n) => ({ n, key: random() })).sort((a, b) => a.key - b.key);
    const weights = order.map(({ n }) => (n + 1) ** -exponent);
    const sum = weights.reduce((a, b) => a + b, 0);
    for (const [account, weight] of weights.entries()) set(account, 0, nights, (total * weight) / sum);
  };
  if (name === "zipf 0.8") zipf(0.8, ZIPF_CHANGES);
  if (name === "zipf 1.2") zipf(1.2, ZIPF_CHANGES);
  if (name === "bursty")
    for (let account = 0; account < accounts; account++) {
      let night = -Math.floor(exponential(90));
      while (night < nights) {
        night += Math.ceil(exponential(80));
        const end = night + Math.ceil(exponential(5));
        set(account, night, end, 1.5);
        night = end;
      }
    }
  if (name === "dormant")
    for (let account = 0; account < accounts; account++) {
      set(account, 0, nights, 0.001);
      if (account % 5 === 0) set(account, Math.floor((random() * nights) / 2), nights, 0.1 + 0.8 * random());
    }
  if (name === "weekly")
    for (let account = 0; account < accounts; account++) {
      set(account, 0, nights, 0.001);
      if (account % 4 > 0) continue;
      const day = Math.floor(random() * 7);
      for (let night = day; night < nights; night += 7) set(account, night, night + 1, 1.5);
    }
  if (name === "new projects")
    for (let account = 0; account < accounts; account++) {
      set(account, 0, nights, 0.001);
      if (account < ACCOUNTS) continue;
      const night = 1 + Math.floor((account - ACCOUNTS) / perNight);
      listedAt[account] = night;
      set(account, night, night + 20, 0.9);
      set(account, night + 20, nights, 0.001);
    }
  if (name === "framework") zipf(1, ZIPF_CHANGES / 3);
  const changes = new Uint8Array(rate.length);
  const moment = new Float32Array(rate.length);
  for (let cell = 0; cell < rate.length; cell++) {
    const mean = rate[cell] as number;
    if (mean === 0) continue;
    let count = 0;
    const least = Math.exp(-mean);
    for (let product = random(); product > least; product *= random()) count += 1;
    changes[cell] = count;
    if (count > 0) moment[cell] = random();
  }
  if (name === "framework")
    // One account in three is built with the framework, and is published again in the night of its upgrade, four times in five.
    for (let night = Math.ceil(exponential(20)); night < nights; night += 1 + Math.ceil(exponential(20)))
      for (let account = 0; account < accounts; account += 3) {
        const cell = night * accounts + account;
        rate[cell] = (rate[cell] as number) + 0.8;
        if (random() < 0.8) changes[cell] = (changes[cell] as number) + 1;
        moment[cell] = 0.5;
      }
  return { accounts, nights, listedAt, rate, changes, moment };
}
