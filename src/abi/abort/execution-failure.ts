import { Disassembler } from "../../move/code/disassemble.ts";
import { type FunctionCode, readCode } from "../../move/code/read-code.ts";

/** Where the VM stopped, as a message has it: a function by its name, or by the number of its definition. */
export type FailurePlace = { readonly fn: string | number; readonly offset: number };

export type Failure = {
  readonly function: string;
  /** The name that the message gave instead; undefined if it gave this one or none. */
  readonly misnamed: string | undefined;
  /** Functions that the message may mean as well, if the node is of another release. */
  readonly others: readonly string[];
  /** The instruction and its neighbours. */
  readonly lines: readonly { readonly index: number; readonly text: string }[];
  /** The status that the instruction fails with, and why; undefined if it fails in no way of its own. */
  readonly cause: { readonly status: string; readonly why: string } | undefined;
};

/** Instructions around the one that failed. */
const AROUND = 3;

/** How instructions fail, by prefix of their names. Source: `execute_code_impl` and its callees in move-vm/runtime/src/interpreter.rs. */
const CAUSES: readonly (readonly [name: RegExp, status: string, why: string])[] = [
  [/^Sub$/, "ARITHMETIC_ERROR", "an underflow: the result would be too small for its type"],
  [/^(?:Add|Mul)$/, "ARITHMETIC_ERROR", "an overflow: the result is too large for its type"],
  [/^(?:Div|Mod)$/, "ARITHMETIC_ERROR", "a division by zero"],
  [/^(?:Shl|Shr)$/, "ARITHMETIC_ERROR", "a shift by as many bits as the type has, or more"],
  [/^(?:Cast|Negate)/, "ARITHMETIC_ERROR", "the number does not fit into the type"],
  [/^Vec(?:ImmBorrow|MutBorrow|Swap)$/, "VECTOR_OPERATION_ERROR", "an index outside of the vector"],
  [/^VecPopBack$/, "VECTOR_OPERATION_ERROR", "a pop from an empty vector"],
  [/^VecUnpack$/, "VECTOR_OPERATION_ERROR", "the vector has another length"],
  [/^(?:Mut|Imm)BorrowGlobal|^MoveFrom/, "MISSING_DATA", "the account does not have the resource"],
  [/^MoveTo/, "RESOURCE_ALREADY_EXISTS", "the account has the resource already"],
  [/^UnpackVariant|^(?:Imm|Mut)BorrowVariantField/, "STRUCT_VARIANT_MISMATCH", "the value is of another variant"],
];

/**
 * Finds the instruction that stopped a function; undefined if there is none. Nodes of 2025 name the function by looking its
 * definition's number up among the handles (`explain_function_index` in aptos-core `api/types/src/convert.rs`): such a name is
 * taken back.
 * @throws DecodeError
 */
export function explainFailure(bytes: Uint8Array, { fn, offset }: FailurePlace): Failure | undefined {
  const { module, functions } = readCode(bytes);
  const codes = [...functions()];
  const reported = typeof fn === "number" ? undefined : fn;
  const fits = (code: FunctionCode | undefined): code is FunctionCode => code !== undefined && offset < code.instructions.length;
  const numbers = typeof fn === "number" ? [fn] : module.functionHandles.flatMap(({ name }, i) => (name === fn ? [i] : []));
  const named = codes.find(({ definition }) => definition.handle.name === reported);
  const possible = [...new Set([...numbers.map((number) => codes[number]), named])].filter(fits);
  const failing = possible.filter((candidate) => causeOf(candidate, offset) !== undefined);
  const [code, ...others] = failing.length > 0 ? failing : possible;
  if (code === undefined) return undefined;
  const { name } = code.definition.handle;
  const { instructions } = new Disassembler().disassemble(code);
  const first = Math.max(0, offset - AROUND);
  return {
    function: name,
    misnamed: reported === undefined || reported === name ? undefined : reported,
    others: others.map(({ definition }) => definition.handle.name),
    lines: instructions.slice(first, offset + AROUND + 1).map((text, i) => ({ index: first + i, text })),
    cause: causeOf(code, offset),
  };
}

function causeOf({ instructions }: FunctionCode, offset: number): Failure["cause"] {
  const name = instructions[offset]?.name ?? "";
  const found = CAUSES.find(([pattern]) => pattern.test(name));
  return found === undefined ? undefined : { status: found[1], why: found[2] };
}
