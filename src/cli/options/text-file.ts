import { readFileSync } from "node:fs";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** A text file that a person named, read whole. @throws ConfigError naming the file and what is wrong with it */
export function readTextFile(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`could not read the ${what} \`${printable(path)}\`: ${reason}. Check the path and its permissions.`, {
      facts: { path, reason },
      cause: error,
    });
  }
}

/** The text of a file, or of stdin where its name is `-`. @throws ConfigError naming the file and what is wrong with it */
export async function readTextInput(io: Io, path: string, what: string): Promise<string> {
  return path === "-" ? await io.stdin() : readTextFile(path, what);
}
