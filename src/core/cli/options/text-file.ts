import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemReason } from "../../base/files.ts";
import { printable } from "../../base/printable.ts";
import { ConfigError, MovedexError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** The system's code for what went wrong with a file. */
export function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}

/** A file that could not be read or written, as the person's fault who named it, or the disk's. `advice` is a sentence. */
export function fileFault(doing: "read" | "write", what: string, path: string, error: unknown, advice: string): MovedexError {
  const text = `could not ${doing} the ${what} \`${printable(path)}\`: ${systemReason(error)}. ${advice}`;
  const more = { facts: { path, reason: systemCode(error) }, cause: error };
  return isFull(error) ? new MovedexError("MOVEDEX_OUTPUT", text, more) : new ConfigError(text, more);
}

/** Whether a disk, or one's share of it, is full: no fault of a command line, and gone once there is room. */
const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes(systemCode(error));

/** Makes sure before a long run that a file can be written at its end. @throws ConfigError */
export function requireThat(what: string, path: string, check: (path: string) => void): void {
  try {
    check(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // A full disk is no reason to miss a night.
    if (isFull(error)) return;
    throw fileFault("write", what, path, error, "Check that its directory exists and may be written to.");
  }
}

/** An input: a file, or stdin for `-`. */
type Input = {
  /** Reads the input from its start, as often as it is called. @throws ConfigError */
  readonly read: () => AsyncIterable<Uint8Array>;
};

/** The chunks of a file, or of stdin for `-`. @throws ConfigError while they are read */
export function streamInput(io: Pick<Io, "stdin">, path: string, what: string): AsyncIterable<Uint8Array> {
  return path === "-" ? io.stdin() : fileChunks(path, what);
}

/** Bytes of stdin that are kept: 50 million addresses, one a line. */
const STDIN_MAX = 4 * 1024 ** 3;

/**
 * A file, or stdin for `-`, that can be read more than once: stdin is copied to a temporary file, which disposing removes.
 * @throws ConfigError naming the file and what is wrong with it, also for what is no file and may have no end
 */
export async function openInput(io: Io, path: string, what: string): Promise<Input & Disposable> {
  if (path !== "-") {
    if (!reading(path, what, () => statSync(path).isFile())) {
      const text = `could not read the ${what} \`${printable(path)}\`: it is not a regular file. Give what a program writes on stdin, as \`-\`.`;
      throw new ConfigError(text, { facts: { path } });
    }
    return { read: () => fileChunks(path, what), [Symbol.dispose]: () => {} };
  }
  const folder = mkdtempSync(join(tmpdir(), "movedex-input-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const kept = join(folder, "input");
  try {
    const { pipeline } = await import("node:stream/promises");
    await pipeline(bounded(io.stdin(), what), createWriteStream(kept));
  } catch (error) {
    remove();
    throw error;
  }
  return { read: () => fileChunks(kept, what), [Symbol.dispose]: remove };
}

async function* bounded(chunks: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > STDIN_MAX) throw new ConfigError(`the ${what} on stdin has more than ${STDIN_MAX} bytes. Give it in parts.`);
    yield chunk;
  }
}

async function* fileChunks(path: string, what: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

function reading<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

function unreadable(path: string, what: string, error: unknown): ConfigError {
  return fileFault("read", what, path, error, "Check the path and its permissions.");
}
