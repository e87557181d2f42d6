import { printable } from "../../../core/base/printable.ts";
import type { Io } from "../../../core/cli/io.ts";
import { streamInput } from "../../../core/cli/options/text-file.ts";
import { ConfigError } from "../../../core/errors.ts";
import { type Address, parseGivenAddress } from "../../../core/move/address.ts";
import { ListFault, type ListRow, readList } from "./list-file.ts";

/** Characters of a label. */
const LABEL_MAX = 200;

/** Rows of a list: its accounts are held in memory, some 200 bytes each, and what comes on stdin may have no end. */
const ROWS_MAX = 10_000_000;

/** An account of a list, and what its maker calls it. */
export type LabelledAccount = { readonly address: Address; readonly label: string | null; readonly given: string };

/**
 * The accounts of a targets file as they are read: one a line, CSV, JSON lines or a JSON array. Nothing comes after
 * a bad row, so keep nothing of such a file. @throws ConfigError naming file, line and what stood there
 */
export async function* walkTargetsFile(
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
  most = ROWS_MAX,
): AsyncGenerator<LabelledAccount> {
  for await (const row of rowsOf(chunks, fileName, most)) {
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

async function* rowsOf(chunks: AsyncIterable<Uint8Array>, fileName: string, most: number): AsyncGenerator<ListRow> {
  let rows = 0;
  try {
    for await (const row of readList(chunks)) {
      if (++rows > most) throw new ListFault(`it has more than ${most} rows: give it as several lists`);
      yield row;
    }
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

/** The accounts of a targets file, or of stdin for `-`. @throws ConfigError */
export function listedIn(file: string, io: Pick<Io, "stdin">): AsyncGenerator<LabelledAccount> {
  return walkTargetsFile(streamInput(io, file, "targets file"), file === "-" ? "stdin" : file);
}

/** The accounts named on the command line, and those of a file. @throws ConfigError when there is none */
export async function readAccounts(
  { account = [], targets }: { readonly account?: readonly Address[]; readonly targets: string },
  io: Pick<Io, "stdin">,
): Promise<Address[]> {
  const accounts = new Set(account);
  for await (const { address } of listedIn(targets, io)) accounts.add(address);
  if (accounts.size === 0)
    throw new ConfigError(`the targets file \`${targets}\` names no account, and no --account was given: there is nothing to read.`);
  return [...accounts];
}
