import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** What a person named as input: a file, or stdin where its name is `-`. */
type Input = {
  /** The input from its start, as often as it is asked for. @throws ConfigError */
  readonly read: () => AsyncIterable<Uint8Array>;
};

/** The text of a file, or of stdin where its name is `-`. @throws ConfigError naming the file and what is wrong with it */
export async function readTextInput(io: Io, path: string, what: string): Promise<string> {
  return new TextDecoder().decode(path === "-" ? await buffer(io.stdin()) : readWholeFile(path, what));
}

/** A file as it is read, or stdin where its name is `-`. @throws ConfigError, out of the loop that walks it */
export function streamInput(io: Io, path: string, what: string): AsyncIterable<Uint8Array> {
  return path === "-" ? io.stdin() : fileChunks(path, what);
}

/**
 * A file, or stdin where its name is `-`, to be read more than once. What comes through a pipe is kept in a temporary file until this
 * ends. @throws ConfigError naming the file and what is wrong with it
 */
export async function openInput(io: Io, path: string, what: string): Promise<Input & Disposable> {
  if (path !== "-" && isFile(path, what)) return { read: () => fileChunks(path, what), [Symbol.dispose]: () => {} };
  const folder = mkdtempSync(join(tmpdir(), "movedex-input-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const kept = join(folder, "input");
  try {
    await pipeline(streamInput(io, path, what), createWriteStream(kept));
  } catch (error) {
    remove();
    throw error;
  }
  return { read: () => fileChunks(kept, what), [Symbol.dispose]: remove };
}

function isFile(path: string, what: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

async function* fileChunks(path: string, what: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

function readWholeFile(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

function unreadable(path: string, what: string, error: unknown): ConfigError {
  const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
  return new ConfigError(`could not read the ${what} \`${printable(path)}\`: ${reason}. Check the path and its permissions.`, {
    facts: { path, reason },
    cause: error,
  });
}
