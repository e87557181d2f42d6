import { readFileSync } from "node:fs";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** A file that a person named, read whole, or stdin where its name is `-`. @throws ConfigError naming the file and what is wrong with it */
export async function readInput(io: Io, path: string, what: string): Promise<Uint8Array> {
  return path === "-" ? await io.stdin() : readWholeFile(path, what);
}

/** The text of a file, or of stdin where its name is `-`. @throws ConfigError naming the file and what is wrong with it */
export async function readTextInput(io: Io, path: string, what: string): Promise<string> {
  return new TextDecoder().decode(await readInput(io, path, what));
}

function readWholeFile(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`could not read the ${what} \`${printable(path)}\`: ${reason}. Check the path and its permissions.`, {
      facts: { path, reason },
      cause: error,
    });
  }
}
