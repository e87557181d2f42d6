import type { Io } from "./io.ts";

/** Runs one command line of movedex and gives its exit code: what a command made of commands is handed. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<number>;
