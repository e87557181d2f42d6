import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printable } from "../../../core/base/printable.ts";
import type { Io } from "../../../core/cli/io.ts";
import { fileChunks, unreadable } from "../../../core/cli/options/text-file.ts";
import { ConfigError } from "../../../core/errors.ts";

/** An input: a file, or stdin for `-`. */
type Input = {
  /** Reads the input from its start, as often as it is called. @throws ConfigError */
  readonly read: () => AsyncIterable<Uint8Array>;
};

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

function reading<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, what, error);
  }
}
