import { jsonText } from "../../base/json.ts";
import type { Io } from "../io.ts";

export function jsonLine(value: unknown): string {
  return `${jsonText(value)}\n`;
}

/** Prints a result of `--json` in one line. */
export async function printJson({ takeResult, stdout }: Pick<Io, "takeResult" | "stdout">, printed: object): Promise<void> {
  if (takeResult !== undefined) takeResult(printed as Readonly<Record<string, unknown>>);
  else await stdout(jsonLine(printed));
}
