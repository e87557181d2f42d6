import { printable } from "../../base/printable.ts";
import type { Io } from "../io.ts";

/** Prints a database's notices on stderr: a repair when it was opened, a server that is waited for. */
export function storeNotice(io: Io): (sentence: string) => void {
  return (sentence) => io.stderr(`movedex: ${printable(sentence)}\n`);
}
