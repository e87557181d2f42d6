import { printable } from "../../base/printable.ts";
import type { Io } from "../io.ts";

/** Tells on stderr what a database has to say: what was put right when it was opened, and that its server is waited for. */
export function storeNotice(io: Io): (sentence: string) => void {
  return (sentence) => io.stderr(`movedex: ${printable(sentence)}\n`);
}
