import { styleText } from "node:util";
import type { Io } from "../io.ts";

/** Whether data may be coloured: on a terminal, unless NO_COLOR says no; FORCE_COLOR says yes to pipes too. */
export function wantsColour(io: Pick<Io, "env" | "stdoutIsTerminal">): boolean {
  if ((io.env["NO_COLOR"] ?? "") !== "") return false;
  return io.stdoutIsTerminal || (io.env["FORCE_COLOR"] ?? "") !== "";
}

/** How text is marked; see `painter`. */
export type Colour = "red" | "yellow" | "green" | "cyan" | "blue" | "magenta" | "gray" | "bold";

export type Paint = (colour: Colour, text: string) => string;

/** Text in a colour, or as it is when there are none. The text must be printable already. */
export function painter(isColoured: boolean): Paint {
  return isColoured ? (colour, text) => styleText(colour, text, { validateStream: false }) : (_, text) => text;
}
