import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../../../src/base/document/markdown.ts";

/** What came of one way to choose: shares of the changes, delays and ages in days. */
type Played = {
  readonly name: string;
  readonly useful: number;
  readonly day: number;
  readonly week: number;
  readonly delay: number;
  readonly oldest: number;
};

/** One world at one budget and one greatest age, mean of three seeds. */
export type Cell = {
  readonly world: string;
  readonly budget: number;
  readonly maxAge: number;
  readonly own: Played;
  readonly inTurns: Played;
  /** The best who learns, under the same greatest age and without any. */
  readonly rival: Played;
  readonly freeRival: Played;
  /** Who knows each account's mean rate, and who knows the rates of the night. */
  readonly mean: Played;
  readonly known: Played;
  readonly rivals: readonly Played[];
  readonly freeRivals: readonly Played[];
};

/** The kept outcome of the simulation. */
export function readCells(): readonly Cell[] {
  return JSON.parse(readFileSync(fileURLToPath(new URL("cadence.json", import.meta.url)), "utf8")) as Cell[];
}

const percent = (share: number): string => (100 * share).toFixed(1);

/** Nights with requests for a tenth of a full reading and a greatest age of 30 days, as a table. */
export function cadenceTable(cells: readonly Cell[]): string {
  const rows = cells
    .filter(({ budget, maxAge }) => budget === 0.1 && maxAge === 30)
    .map(({ world, own, inTurns, rival, known }) => [
      world,
      ...[own, inTurns, rival, known].map(({ useful }) => percent(useful)),
      percent(own.week),
    ]);
  const head = ["world", "movedex", "in turns", "best other learner", "knows the real rates", "movedex: in a week"];
  return markdownTable(head, rows);
}
