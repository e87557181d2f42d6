import { visibleJson } from "../../base/json.ts";
import type { Io } from "../io.ts";

/** One JSON value that is safe to print: control and invisible characters are escaped, integers above 2^53 are text. */
export function jsonText(value: unknown): string {
  return visibleJson(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)));
}

export function jsonLine(value: unknown): string {
  return `${jsonText(value)}\n`;
}

/** Prints a result of `--json` in one line. */
export async function printJson({ takeResult, stdout }: Pick<Io, "takeResult" | "stdout">, printed: object): Promise<void> {
  if (takeResult !== undefined) takeResult(printed as Readonly<Record<string, unknown>>);
  else await stdout(jsonLine(printed));
}
