import { createReadStream } from "node:fs";
import { findJsonExcess } from "../../base/json.ts";
import { type ExchangeError, pathError } from "../exchange-error.ts";
import type { Table, Value } from "../tables/table.ts";
import { toRow } from "./incoming-row.ts";

/** Bytes of a line; the largest real module in hex has far fewer. */
const LINE_MAX = 64 * 1024 * 1024;
/** Columns of a row, those of a later movedex included, and no lists or objects in them: JSON stands in texts. */
const ROW = { values: 256, depth: 1 };

const NEWLINE = 0x0a;

/** The rows of a JSONL file, in batches. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` */
export async function* readJsonl(path: string, table: Table): AsyncGenerator<Value[][]> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const rows: Value[][] = [];
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      const line = Buffer.concat([...begun, chunk.subarray(at, end)]);
      begun = [];
      begunBytes = 0;
      at = end + 1;
      rows.push(toRow(parse(line, path), table, path));
    }
    begun.push(chunk.subarray(at));
    begunBytes += chunk.length - at;
    if (begunBytes > LINE_MAX) throw damaged(path, `a line is longer than ${LINE_MAX} bytes`);
    if (rows.length > 0) yield rows;
  }
  if (begunBytes > 0) throw damaged(path, "its last line is cut off");
}

function parse(line: Buffer, path: string): Record<string, unknown> {
  const excess = findJsonExcess(line, ROW);
  if (excess !== undefined)
    throw damaged(path, excess === "depth" ? "a row holds lists or objects" : `a row has more than ${ROW.values} values`);
  let json: unknown;
  try {
    json = JSON.parse(line.toString("utf8"));
  } catch (error) {
    throw damaged(path, "a line is not JSON", error);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw damaged(path, "a line is not a JSON object");
  return json as Record<string, unknown>;
}

function damaged(path: string, why: string, cause?: unknown): ExchangeError {
  return pathError(path, "MOVEDEX_IMPORT_DAMAGED", `\`${path}\` cannot be read: ${why}. Nothing was imported.`, {}, cause);
}
