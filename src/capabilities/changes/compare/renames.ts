import type { DecodedModule } from "../../../core/abi/decode.ts";
import type { FunctionAbi } from "../../../core/abi/model.ts";
import { formatSignature } from "../../../core/abi/print/signature.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { CodeComparison } from "./code-comparison.ts";
import type { Rename } from "./finding.ts";

/** Functions that are compared with each other; a module that replaces more of them at once is another module. */
const FUNCTIONS_MAX = 200;

type Module = Pick<DecodedModule, "abi">;
type Codes = ReadonlyMap<string, FunctionCode>;

/** The functions of a module that only have another name now: the one old and the one new that are alike. */
export function renamedFunctions(before: Module, after: Module, [old, now]: readonly [Codes, Codes]): Rename[] {
  const [removed, added] = [missing(before, after), missing(after, before)];
  if (removed.length === 0 || added.length === 0 || removed.length + added.length > FUNCTIONS_MAX) return [];
  const compare = new CodeComparison();
  const pairs = ifDecodable(() => {
    const isSame = (was: FunctionAbi, is: FunctionAbi): boolean => {
      const [a, b] = [old.get(was.name), now.get(is.name)];
      if (a === undefined || b === undefined || was.isNative || is.isNative) return false;
      return compare.isSameFunction(a, b) && formatSignature({ ...was, name: "" }) === formatSignature({ ...is, name: "" });
    };
    return removed.flatMap((was) => added.filter((is) => isSame(was, is)).map((is) => ({ from: was.name, to: is.name })));
  });
  const isOnly = (side: "from" | "to", name: string): boolean => pairs?.filter((pair) => pair[side] === name).length === 1;
  const found = (pairs ?? []).filter(({ from, to }) => isOnly("from", from) && isOnly("to", to));
  return found.map((pair) => ({ kind: "function", ...pair }));
}

function missing(these: Module, those: Module): readonly FunctionAbi[] {
  const known = new Set(those.abi.functions.map(({ name }) => name));
  return these.abi.functions.filter(({ name }) => !known.has(name));
}
