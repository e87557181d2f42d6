import { plural } from "../../base/plural.ts";
import { printable } from "../../base/printable.ts";
import type { Io } from "../io.ts";

/** Prints a database's notices on stderr: a repair when it was opened, a server that is waited for. */
export function storeNotice(io: Io): (sentence: string) => void {
  return (sentence) => io.stderr(`movedex: ${printable(sentence)}\n`);
}

/** What makes the rows of bytecode that wait: a run, or where there is no node an import, also of what is held already. */
export const MAKES_ROWS = "`movedex sync` makes them; without a node, `movedex import` of a backup of this database does too";

/** The notice that rows of some bytecode are still to be derived, as after a run that was killed; undefined when none are. */
export function rowsToCome(underived: number): string | undefined {
  if (underived === 0) return undefined;
  return `movedex: the rows of ${plural(underived, "stored bytecode")} are still to come, so functions, structs and the like of these are missing here. ${MAKES_ROWS}.\n`;
}
