import type { DecodedModule } from "../../../core/abi/decode.ts";
import type { FunctionAbi } from "../../../core/abi/model.ts";
import { formatSignature } from "../../../core/abi/print/signature.ts";
import { type FunctionCode, readFunctions } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { CodeComparison } from "./code-comparison.ts";
import type { Rename } from "./finding.ts";

/** Functions that are compared with each other; a module that replaces more of them at once is another module. */
const FUNCTIONS_MAX = 200;

type Bytes = Pick<DecodedModule, "abi"> & { readonly bytes: Uint8Array };
type Codes = ReadonlyMap<string, FunctionCode>;

/** The functions of a module that only have another name now: the one old and the one new that are alike. `codes` if they were read. */
export function renamedFunctions(before: Bytes, after: Bytes, codes?: readonly [Codes, Codes]): Rename[] {
  const removed = missing(before.abi.functions, after.abi.functions);
  const added = missing(after.abi.functions, before.abi.functions);
  if (removed.length === 0 || added.length === 0 || removed.length + added.length > FUNCTIONS_MAX) return [];
  const renames = ifDecodable((): Rename[] => {
    const [was, is] = codes ?? [readFunctions(before.bytes), readFunctions(after.bytes)];
    const [old, now] = [codesOf(was, removed), codesOf(is, added)];
    const compare = new CodeComparison();
    const pairs = old.flatMap((was) =>
      now
        .filter((is) => was.signature === is.signature && compare.isSameFunction(was.code, is.code))
        .map((is) => ({ kind: "function" as const, from: was.name, to: is.name })),
    );
    const isOnly = (side: "from" | "to", name: string): boolean => pairs.filter((pair) => pair[side] === name).length === 1;
    return pairs.filter(({ from, to }) => isOnly("from", from) && isOnly("to", to));
  });
  return renames ?? [];
}

function missing(these: readonly FunctionAbi[], those: readonly FunctionAbi[]): readonly FunctionAbi[] {
  const known = new Set(those.map(({ name }) => name));
  return these.filter(({ name }) => !known.has(name));
}

/** Functions with their signatures but for the name. */
function codesOf(codes: Codes, functions: readonly FunctionAbi[]) {
  return functions.flatMap((fn) => {
    const code = codes.get(fn.name);
    return code === undefined || fn.isNative ? [] : [{ name: fn.name, signature: formatSignature({ ...fn, name: "" }), code }];
  });
}
