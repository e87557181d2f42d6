import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { ExchangeError } from "../exchange-error.ts";
import type { Table, Value } from "../tables/table.ts";
import { toRow } from "./incoming-row.ts";

/** Characters of a line; the largest real module in hex has far fewer. */
const LINE_MAX = 64 * 1024 * 1024;

/** The rows of a JSONL file, in batches. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` */
export async function* readJsonl(path: string, table: Table): AsyncGenerator<Value[][]> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const lines = (rest + decoder.write(chunk as Buffer)).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LINE_MAX) throw damaged(path, "a line is longer than any row");
    yield lines.map((line) => toRow(parse(line, path), table, path));
  }
  rest += decoder.end();
  if (rest !== "") throw damaged(path, "its last line is cut off");
}

function parse(line: string, path: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (error) {
    throw damaged(path, "a line is not JSON", error);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw damaged(path, "a line is not a JSON object");
  return json as Record<string, unknown>;
}

function damaged(path: string, why: string, cause?: unknown): ExchangeError {
  return new ExchangeError("MOVEDEX_IMPORT_DAMAGED", `\`${path}\` cannot be read: ${why}. Nothing was imported.`, {
    facts: { path },
    cause,
  });
}
