import { printable } from "../../base/printable.ts";
import type { Io } from "../io.ts";

/** Tells on stderr what was put right when a database was opened: nothing stored is changed without a word. */
export function mendNotice(io: Io): (sentence: string) => void {
  return (sentence) => io.stderr(`movedex: ${printable(sentence)}\n`);
}
