import { equalBytes } from "../../base/bytes.ts";
import { readCode } from "../../move/code/read-code.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { Cursor } from "../../move/module/cursor.ts";
import { openTable, readKnownVersion, readLayout, table } from "../../move/module/tables.ts";
import type { ChangedFunction } from "./behaviour.ts";
import { CodeComparison } from "./code-comparison.ts";

/**
 * How the bytes of two modules differ. `metadata`: in metadata alone. `encoding`: they declare and execute the same. `code`:
 * instructions or locals differ, of `functions`, undefined if they could not be read.
 */
export type CodeDifference =
  | { readonly kind: "none" | "metadata" | "encoding" }
  | { readonly kind: "code"; readonly functions: readonly ChangedFunction[] | undefined };

/**
 * Compares what two modules execute, by the names that instructions refer to, so that the order of tables and the bytecode
 * version do not matter. Declarations are up to `compareModules`. Never throws.
 */
export function compareCode(before: Uint8Array, after: Uint8Array): CodeDifference {
  if (equalBytes(before, after)) return { kind: "none" };
  try {
    if (isSameButMetadata(before, after)) return { kind: "metadata" };
    const functions = changedFunctions(before, after);
    return functions.length === 0 ? { kind: "encoding" } : { kind: "code", functions };
  } catch (error) {
    if (error instanceof DecodeError) return { kind: "code", functions: undefined };
    throw error;
  }
}

function isSameButMetadata(before: Uint8Array, after: Uint8Array): boolean {
  const [old, now] = [tablesOf(before), tablesOf(after)];
  return old.length === now.length && old.every((bytes, i) => equalBytes(bytes, now[i] as Uint8Array));
}

/** Everything but the metadata: the version, each table in the order of its kind, and what follows the tables. */
function tablesOf(bytes: Uint8Array): Uint8Array[] {
  const header = new Cursor(bytes);
  const layout = readLayout(header, readKnownVersion(header));
  const contents = layout.tables.map((_, kind) => {
    const { at, end } = openTable(bytes, layout, kind);
    return kind === table.metadata ? new Uint8Array() : bytes.subarray(at, end);
  });
  return [bytes.subarray(0, 8), ...contents, bytes.subarray(layout.contentEnd)];
}

function changedFunctions(before: Uint8Array, after: Uint8Array): ChangedFunction[] {
  const [old, now] = [readCode(before), readCode(after)];
  const codes = new Map(Array.from(old.functions(), (code) => [code.definition.handle.name, code]));
  const compare = new CodeComparison();
  const changed: ChangedFunction[] = [];
  for (const code of now.functions()) {
    const { name } = code.definition.handle;
    const was = codes.get(name);
    if (was === undefined || was.definition.isNative || code.definition.isNative) continue;
    if (!compare.isSameFunction(was, code)) changed.push({ name, was, is: code });
  }
  return changed;
}
