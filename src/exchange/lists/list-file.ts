import { buffer } from "node:stream/consumers";
import type { ListColumns, ListRow } from "./columns.ts";
import { readCsvList } from "./csv-list.ts";
import { readJsonlList } from "./jsonl-list.ts";

const PARQUET_MAGIC = "PAR1";

/** Bytes at the start of a list in which its kind shows. */
const START_BYTES = 65_536;

/**
 * The rows of a list in the file's order. Its first bytes tell Parquet (`PAR1`), JSON lines (`{`), else CSV. Of text a chunk is
 * held at most, of Parquet the whole packed file. @throws ListFault that says what is wrong
 */
export async function* readList(chunks: AsyncIterable<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  const { start, whole } = await begin(chunks);
  try {
    if (start.startsWith(PARQUET_MAGIC)) {
      const { readParquetList } = await import("./parquet-list.ts");
      yield* readParquetList(await buffer(whole), columns);
    } else if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(start)) yield* readJsonlList(whole, columns);
    else yield* readCsvList(whole, columns);
  } finally {
    await whole.return(undefined);
  }
}

/** The start of a file, a character for each byte, up to the first that is no space; and the whole file, which is read on from there. */
async function begin(chunks: AsyncIterable<Uint8Array>): Promise<{ readonly start: string; readonly whole: AsyncGenerator<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let start = "";
  while (start.length < START_BYTES && (start.length < PARQUET_MAGIC.length || start.trim() === "")) {
    const next = await rest.next();
    if (next.done === true) break;
    read.push(next.value);
    start += Buffer.from(next.value.subarray(0, START_BYTES)).toString("latin1");
  }
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* read.splice(0);
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  };
  return { start, whole: whole() };
}
