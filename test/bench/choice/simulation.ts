import { parseArgs } from "node:util";
import { type Choice, choose, type History, populationOf } from "../../../src/capabilities/cadence/choose.ts";
import { makeWorld, type World, worldNames } from "./worlds.ts";

// npx node test/bench/choice/simulation.ts [WORLD …] [--seeds 44,45] prints how useful the readings of each world are, in percent, at each
// budget and greatest age, and how useful they would be if accounts took turns.
const NIGHTS = 300;
const BUDGETS = [0.05, 0.1, 0.25, 0.5];
const MAX_AGES = [5, 30];
/** Days after which finding a change is worth half. */
const HALF_LIFE = 2;
/** Nights that do not count. */
const WARM_UP = 60;
/** Nights after which the program's share of states is learnt anew; in the program, each night. */
const LEARNS_EVERY = 10;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seeds: { type: "string", default: "44,45" } } });
const seeds = values.seeds.split(",").map(Number);

type Chooser = (night: number, requests: number, maxAge: number) => Choice<number>["accounts"];
type Account = { -readonly [Key in keyof History<number>]: History<number>[Key] } & { readings: NonNullable<History<number>["readings"]> };

process.stdout.write(`| world | ${BUDGETS.flatMap((budget) => MAX_AGES.map((age) => `${100 * budget} %, ${age} d`)).join(" | ")} |\n`);
process.stdout.write(`| --- |${" --- |".repeat(BUDGETS.length * MAX_AGES.length)}\n`);
for (const name of worldNames.filter((name) => positionals.length === 0 || positionals.includes(name))) {
  const cells = BUDGETS.flatMap((budget) =>
    MAX_AGES.map((maxAge) => {
      const mean = (make: (known: Account[]) => Chooser): string =>
        (seeds.reduce((sum, seed) => sum + play(makeWorld(name, NIGHTS, seed), budget, maxAge, make), 0) / seeds.length).toFixed(3);
      return `${mean(ownChoice)} (${mean(inTurns)})`;
    }),
  );
  process.stdout.write(`| ${name} | ${cells.join(" | ")} |\n`);
}

/** The mean usefulness of the changes of a world. Accounts are read once when they come, beside the budget. */
function play({ accounts, nights, listedAt, changes, moment }: World, budget: number, maxAge: number, make: (known: Account[]) => Chooser) {
  const known: Account[] = [];
  const choice = make(known);
  let [useful, all] = [0, 0];
  for (let night = 0; night < nights; night++) {
    for (; known.length < accounts && (listedAt[known.length] as number) <= night; ) {
      const readings = { first: night, newest: night, changes: [], isNewcomer: night > 0 };
      known.push({ accounts: [known.length], readings, requests: 1, isRead: true });
    }
    if (night === 0) continue;
    for (const account of known) account.isRead = account.readings.newest === night;
    for (const account of choice(night, Math.max(1, Math.round(budget * known.length)), maxAge)) {
      const one = known[account] as Account;
      const { newest: before, changes: found } = one.readings;
      let isChanged = false;
      for (let at = before + 1; at <= night; at++) {
        const count = changes[at * accounts + account] as number;
        if (count === 0) continue;
        isChanged = true;
        if (at >= WARM_UP) useful += count * 2 ** (-(night - at + 1 - (moment[at * accounts + account] as number)) / HALF_LIFE);
      }
      one.readings = { ...one.readings, newest: night, changes: isChanged ? [...found, [before, night]] : found };
    }
  }
  for (let cell = WARM_UP * accounts; cell < nights * accounts; cell++) all += changes[cell] as number;
  return useful / all;
}

function ownChoice(known: Account[]): Chooser {
  let population = populationOf(known);
  return (night, requests, maxAge) => {
    if (night < 2 * LEARNS_EVERY || night % LEARNS_EVERY === 0) population = populationOf(known);
    return choose(known, { requests, now: night, maxAge, nightly: 1, halfLife: HALF_LIFE }, population).accounts;
  };
}

function inTurns(known: Account[]): Chooser {
  return (_night, requests) =>
    known
      .map(({ readings }, account) => ({ account, newest: readings.newest }))
      .sort((a, b) => a.newest - b.newest)
      .slice(0, requests)
      .map(({ account }) => account);
}
