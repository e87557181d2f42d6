import { type FunctionCode, readCode } from "../../move/code/read-code.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import type { DecodedModule } from "../decode.ts";
import { formatSignature } from "../print/signature.ts";
import { CodeComparison } from "./code-comparison.ts";

/** A function or struct that is gone, and the new one that is the same but for its name. */
export type Rename = { readonly kind: "function" | "struct"; readonly from: string; readonly to: string };

/** Functions that are compared with each other; a module that replaces more of them at once is another module. */
const FUNCTIONS_MAX = 200;

type Bytes = Pick<DecodedModule, "abi"> & { readonly bytes: Uint8Array };

/** The functions of a module that only have another name now: the one old and the one new that are alike. */
export function renamedFunctions(before: Bytes, after: Bytes): Rename[] {
  const [gone, come] = [missing(before, after), missing(after, before)];
  if (gone.size === 0 || come.size === 0 || gone.size + come.size > FUNCTIONS_MAX) return [];
  const renames = ifDecodable((): Rename[] => {
    const [old, now] = [codesOf(before, gone), codesOf(after, come)];
    const compare = new CodeComparison();
    const pairs = [...old].flatMap(([from, was]) =>
      [...now]
        .filter(([, is]) => was.shape === is.shape && compare.isSameFunction(was.code, is.code))
        .map(([to]) => ({ kind: "function" as const, from, to })),
    );
    const isOnly = (side: "from" | "to", name: string): boolean => pairs.filter((pair) => pair[side] === name).length === 1;
    return pairs.filter(({ from, to }) => isOnly("from", from) && isOnly("to", to));
  });
  return renames ?? [];
}

function missing({ abi: { functions: these } }: Bytes, { abi: { functions: those } }: Bytes): ReadonlySet<string> {
  const known = new Set(those.map(({ name }) => name));
  return new Set(these.map(({ name }) => name).filter((name) => !known.has(name)));
}

/** Functions with what they are but for their name. */
function codesOf({ abi, bytes }: Bytes, names: ReadonlySet<string>): Map<string, { readonly shape: string; readonly code: FunctionCode }> {
  const found = new Map<string, { readonly shape: string; readonly code: FunctionCode }>();
  for (const code of readCode(bytes).functions()) {
    const { name } = code.definition.handle;
    const fn = names.has(name) && !code.definition.isNative ? abi.functions.find((one) => one.name === name) : undefined;
    if (fn !== undefined) found.set(name, { shape: formatSignature({ ...fn, name: "" }), code });
  }
  return found;
}
