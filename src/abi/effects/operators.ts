import type { Instruction } from "../../move/code/read-code.ts";
import { OPCODE_NAMES } from "../../move/module/opcodes.ts";

/** What computes: of the instructions those that are no branch and no handling of variables and references. */
const OPERATORS = new Set(
  "Add Sub Mul Mod Div BitOr BitAnd Xor And Or Eq Neq Lt Gt Le Ge Shl Shr Negate WriteRef CastU8 CastU16 CastU32 CastU64 CastU128 CastU256".split(
    " ",
  ),
);
const IS_OPERATOR = OPCODE_NAMES.map((name) => OPERATORS.has(name));
const INVERSE: Readonly<Record<string, string>> = { Eq: "Neq", Neq: "Eq", Lt: "Ge", Ge: "Lt", Le: "Gt", Gt: "Le" };

export function isOperator(opcode: number): boolean {
  return IS_OPERATOR[opcode] === true;
}

/**
 * An operator as its result is used: compilers turn a condition round together with the branch behind it. With `assert` it is what has to
 * hold, or else the function aborts, with `return` what it returns.
 */
export function operatorWords(instructions: readonly Instruction[], place: number, returning: ReadonlySet<number>): readonly string[] {
  let name = instructions[place]?.name ?? "";
  if (INVERSE[name] === undefined) return [name];
  let next = place + 1;
  for (; instructions[next]?.name === "Not"; next++) name = INVERSE[name] as string;
  const branch = instructions[next];
  if (branch?.name === "Ret") return [name, `return ${name}`];
  if (branch?.name !== "BrTrue" && branch?.name !== "BrFalse") return [name];
  if (branch.name === "BrTrue") name = INVERSE[name] as string;
  const [ifHolds, ifNot] = [returning.has(next + 1), returning.has(branch.index ?? 0)];
  return ifHolds === ifNot ? [name] : [name, `assert ${ifHolds ? name : INVERSE[name]}`];
}

/** The instructions from which the function can come to its end without an abort. */
export function returningPlaces(instructions: readonly Instruction[]): ReadonlySet<number> {
  const found = new Set<number>();
  const sources = new Map<number, number[]>();
  for (const [place, { name, index = 0 }] of instructions.entries()) {
    if (name === "Ret") found.add(place);
    if (!name.startsWith("Br")) continue;
    const known = sources.get(index);
    if (known === undefined) sources.set(index, [place]);
    else known.push(place);
  }
  // A set that grows while it is walked is walked to its end.
  for (const place of found) {
    const before = instructions[place - 1]?.name;
    if (before !== undefined && before !== "Branch" && before !== "Ret" && !before.startsWith("Abort")) found.add(place - 1);
    for (const source of sources.get(place) ?? []) found.add(source);
  }
  return found;
}
