import { type BodyOf, formatBody } from "../../core/abi/print/interface-text.ts";
import type { StoredContent } from "../../core/db/archive/content/stored-content.ts";
import { type FunctionCode, readFunctions } from "../../core/move/code/read-code.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";

let last: { readonly content: StoredContent; readonly functions: ReadonlyMap<string, FunctionCode> } | undefined;

/** A module's functions by name; undefined if they cannot be read. Caches the last module, because its pages ask repeatedly. */
export function functionsOf(content: StoredContent): ReadonlyMap<string, FunctionCode> | undefined {
  if (content.kind !== "decoded") return undefined;
  if (last?.content === content) return last.functions;
  const functions = ifDecodable(() => readFunctions(content.bytes));
  if (functions !== undefined) last = { content, functions };
  return functions;
}

/** The instructions of a function; undefined where they cannot be read. */
export function bodiesOf(content: StoredContent, name: string): BodyOf | undefined {
  const functions = functionsOf(content);
  const code = functions?.get(name);
  return functions === undefined ? undefined : (asked) => (asked === name && code !== undefined ? formatBody(code) : undefined);
}
