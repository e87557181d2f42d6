import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import { ListFault, type ListRow } from "../../exchange/lists/columns.ts";
import { readList } from "../../exchange/lists/list-file.ts";
import { type Address, parseAddress, parseGivenAddress } from "../../move/address.ts";

/** What the columns with addresses and labels are called, in lower case. */
const COLUMNS = { usual: ["address", "account", "account_address", "owner"], label: "label" };

/** Characters of a label. */
const LABEL_MAX = 200;

/** An account of a list, and what its maker calls it. */
export type LabelledAccount = { readonly address: Address; readonly label: string | null };

/**
 * The accounts of a targets file as they are read: one a line, CSV, JSON lines or Parquet; text or 32 bytes. Nothing comes after
 * a bad row, so keep nothing of such a file. @throws ConfigError naming file, line and what stood there
 */
export async function* walkTargetsFile(chunks: AsyncIterable<Uint8Array>, fileName: string): AsyncGenerator<LabelledAccount> {
  for await (const row of rowsOf(chunks, fileName)) {
    const address = addressOf(row.value);
    if (address === undefined) {
      throw new ConfigError(
        `${printable(fileName)}, ${row.place}: \`${shown(row.value)}\` is not an account address (0x and 1 to 64 hex digits). ` +
          "No address was added; correct or remove the line and run again.",
        { facts: { file: fileName, place: row.place } },
      );
    }
    yield { address, label: labelOf(row.label) };
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

function addressOf(value: unknown): Address | undefined {
  if (typeof value === "string") return parseGivenAddress(value.trim());
  return value instanceof Uint8Array && value.length === 32 ? parseAddress(`0x${formatHex(value)}`) : undefined;
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return printable(
    typeof value === "string" ? value : value === undefined || value === null ? "nothing" : (JSON.stringify(value) ?? ""),
    80,
  );
}
