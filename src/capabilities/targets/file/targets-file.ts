import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printable } from "../../../core/base/printable.ts";
import type { Io } from "../../../core/cli/io.ts";
import { fileChunks, streamInput, unreadable } from "../../../core/cli/options/text-file.ts";
import { ConfigError } from "../../../core/errors.ts";
import { type Address, parseGivenAddress } from "../../../core/move/address.ts";
import { ListFault, type ListRow, readList } from "./list-file.ts";

/** What the columns with addresses and labels are called, in lower case. */
const COLUMNS = { usual: ["address", "account", "account_address", "owner"], label: "label" };

/** Characters of a label. */
const LABEL_MAX = 200;

/** An account of a list, and what its maker calls it. */
export type LabelledAccount = { readonly address: Address; readonly label: string | null; readonly given: string };

/**
 * The accounts of a targets file as they are read: one a line, CSV, JSON lines or a JSON array. Nothing comes after
 * a bad row, so keep nothing of such a file. @throws ConfigError naming file, line and what stood there
 */
export async function* walkTargetsFile(chunks: AsyncIterable<Uint8Array>, fileName: string): AsyncGenerator<LabelledAccount> {
  for await (const row of rowsOf(chunks, fileName)) {
    const address = typeof row.value === "string" ? parseGivenAddress(row.value.trim()) : undefined;
    if (address === undefined) {
      const isNested = typeof row.value === "object" && row.value !== null;
      const fault = isNested
        ? "was found in place of an address. Give a JSON array of addresses or of objects, or an object a line. No address was added."
        : "is not an account address (0x and 1 to 64 hex digits). No address was added; correct or remove the line and run again.";
      throw new ConfigError(`${printable(fileName)}, ${row.place}: \`${shown(row.value)}\` ${fault}`, {
        facts: { file: fileName, place: row.place },
      });
    }
    yield { address, label: labelOf(row.label), given: shown(row.value) };
  }
}

/** A label as it is kept: one line without anything that cannot be printed; null for none. */
export function labelOf(text: unknown): string | null {
  const label = typeof text === "string" ? printable(text.trim(), LABEL_MAX) : "";
  return label === "" ? null : label;
}

async function* rowsOf(chunks: AsyncIterable<Uint8Array>, fileName: string): AsyncGenerator<ListRow> {
  try {
    yield* readList(chunks, COLUMNS);
  } catch (error) {
    if (!(error instanceof ListFault)) throw error;
    throw new ConfigError(`${printable(fileName)}: ${error.message}. No address was added.`, {
      facts: { file: fileName },
      cause: error,
    });
  }
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : value === undefined || value === null ? "nothing" : (JSON.stringify(value) ?? "");
  return printable(text, 80);
}

/** A line that the accounts of a file are not stored. */
export function scopeNote(targets: string): string {
  if (targets === "-")
    return "the accounts from stdin were read in this run alone; `movedex targets import FILE` keeps accounts for every run\n";
  const file = printable(targets);
  return `the accounts of \`${file}\` were read in this run alone; \`movedex targets import ${file}\` keeps them for every run\n`;
}

/** The accounts named on the command line, and those of a file. @throws ConfigError when there is none */
export async function readAccounts(
  { account = [], targets }: { readonly account?: readonly Address[]; readonly targets: string },
  io: Pick<Io, "stdin">,
): Promise<Address[]> {
  const accounts = new Set(account);
  const listed = walkTargetsFile(streamInput(io, targets, "targets file"), targets === "-" ? "stdin" : targets);
  for await (const { address } of listed) accounts.add(address);
  if (accounts.size === 0)
    throw new ConfigError(`the targets file \`${targets}\` names no account, and no --account was given: there is nothing to read.`);
  return [...accounts];
}

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
