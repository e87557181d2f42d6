import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { movedex } from "./movedex.ts";
import { type Chooser, type Outcome, play, type Rules } from "./play.ts";
import { azar, Estimates, greedy, kolobov, oracle, roundRobin, switching } from "./rivals.ts";
import type { Cell } from "./table.ts";
import { makeWorld, type World, worldNames } from "./worlds.ts";

// npx node test/bench/cadence/simulation.ts test/bench/cadence plays all cells and writes the results to cadence.json there, from which
// `npm run docs` makes the table and the chart. Further words (or `-` for none instead of the directory) select worlds by name. With
// --choose FILE 1000000 11500 it only runs the program's own choice of so many requests among so many targets.
const NIGHTS = 300;
const BUDGETS = [0.02, 0.05, 0.1, 0.25, 0.5];
const MAX_AGES = [5, 30];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "21,22,23" }, choose: { type: "string" } },
});
if (values.choose !== undefined) {
  const [targets, requests] = positionals.map(Number);
  if (!(Number(targets) > 0 && Number(requests) > 0)) throw new Error("wanted a file, a number of targets and of requests");
  const { benchChoosing } = await import("./choosing.ts");
  await benchChoosing(values.choose, Number(targets), Number(requests));
  process.exit();
}
const seeds = values.seeds.split(",").map(Number);
const [directory = "-", ...names] = positionals;
const cells: Cell[] = [];
for (const name of worldNames.filter((name) => names.length === 0 || names.some((part) => name.includes(part)))) {
  const worlds = seeds.map((seed) => makeWorld(name, NIGHTS, seed));
  for (const budget of BUDGETS) {
    const free = { budget, maxAge: undefined, oldestShare: 0 };
    const fifth = { ...free, oldestShare: 0.2 };
    const rivals = rivalsAt(budget);
    const without = [...rivals.map(([rival, make]) => played(rival, make, free)), played("CGM and a fifth in turns", rivals[1][1], fifth)];
    for (const maxAge of MAX_AGES) {
      const aged = { budget, maxAge, oldestShare: 0 };
      const within = rivals.map(([rival, make]) => played(rival, make, aged));
      // An oracle chooses by worth or by index, whichever is better.
      const oracles = (["mean", "now"] as const).map((knows) => {
        const both = (["worth", "index"] as const).map((by) => played(`knows ${knows}`, (world) => oracle(world, knows, by), aged));
        return best(both);
      });
      // Who knows the rates of the night may forget them.
      const known = best(oracles);
      const own = played("movedex", movedex, aged);
      const inTurns = within[0] as Played;
      const cell = {
        world: name,
        budget,
        maxAge,
        own,
        inTurns,
        rival: best(within),
        freeRival: best(without),
        mean: oracles[0] as Played,
        known,
        rivals: within,
        freeRivals: without,
      };
      cells.push(cell);
      process.stdout.write(
        `${name} ${budget} ${maxAge}: ${[own, cell.rival, cell.freeRival, known].map(({ name, useful }) => `${name} ${useful}`).join(", ")}; oldest ${own.oldest}\n`,
      );
    }
  }

  function played(chooser: string, make: (world: World) => Chooser, rules: Rules): Played {
    const outcomes = worlds.map((world) => play(world, rules, make(world)));
    const mean = (key: keyof Outcome): number =>
      Math.round((1000 * outcomes.reduce((sum, one) => sum + one[key], 0)) / outcomes.length) / 1000;
    const oldest = Math.max(...outcomes.map((one) => one.oldest));
    return { name: chooser, useful: mean("useful"), day: mean("day"), week: mean("week"), delay: mean("delay"), oldest };
  }
}
if (directory !== "-") writeFileSync(join(directory, "cadence.json"), `[\n${cells.map((cell) => JSON.stringify(cell)).join(",\n")}\n]\n`);

type Played = Cell["own"];

function best(all: readonly Played[]): Played {
  return all.reduce((a, b) => (b.useful > a.useful ? b : a));
}

function rivalsAt(budget: number) {
  const estimates = ({ accounts, nights }: World): Estimates => new Estimates(accounts, nights);
  return [
    ["in turns", () => roundRobin()],
    ["CGM", (world: World) => greedy(estimates(world))],
    ["Azar", (world: World) => azar(estimates(world))],
    ["Kolobov", (world: World) => kolobov(estimates(world), budget)],
    ["switching", ({ accounts }: World) => switching(accounts)],
  ] as const;
}
