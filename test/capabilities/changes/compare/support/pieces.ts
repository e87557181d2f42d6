import type { FunctionSpec } from "../../../../../sim/module-writer/module-spec.ts";
import { row } from "../../../../support/handmade.ts";
import { type Parts, u64Row } from "./rule-examples.ts";

export const [ret, pop] = [row(0x02), row(0x01)];
export const load = (value: number) => row(0x06, u64Row(value));

/** A piece of a function that leaves the stack as it was. It begins at `at`; `imported` gives a function's index. */
export type Piece = (at: number, imported: (name: string) => number, isTurned: boolean) => readonly Uint8Array[];
const check =
  (opcode: number, code: number): Piece =>
  (at) => [row(0x0a, 0), load(3), row(opcode), row(0x04, at + 5), row(0x05, at + 7), load(code), row(0x27)];
export const pieces: readonly Piece[] = [
  () => [row(0x2b, 0), pop],
  () => [row(0x29, 1), pop],
  () => [row(0x38, 0)],
  (_, imported) => [row(0x11, imported("pay"))],
  (_, imported) => [row(0x11, imported("take"))],
  () => [row(0x0a, 0), load(1), row(0x16), pop],
  (_at, _imported, isTurned) => (isTurned ? [load(7), pop] : [load(7), row(0x0c, 1), row(0x0b, 1), pop]),
  (_at, _imported, isTurned) => [row(0x0a, 0), row(0x0c, isTurned ? 3 : 2), load(9), row(0x0b, isTurned ? 3 : 2), row(0x16), pop],
  check(0x23, 0x10001),
  check(0x25, 0x50002),
];

/** A public function of these pieces; those in `apart` are functions of their own. All stands in one order, or in its reverse. */
export function moduleOfPieces(chosen: readonly Piece[], apart: readonly boolean[], isTurned: boolean): Parts {
  const turned = <T>(list: readonly T[]): readonly T[] => (isTurned ? list.toReversed() : list);
  const names = ["f", ...chosen.flatMap((_, i) => (apart[i] ? [`g${i}`] : []))];
  const imports = turned([
    { module: "0x1::event", name: "emit", typeParams: ["drop store"], params: ["T0"] },
    { module: "0x1::coin", name: "pay" },
    { module: "0x1::coin", name: "take" },
  ]);
  const imported = (name: string): number => names.length + imports.findIndex((one) => one.name === name);
  const whole: Uint8Array[] = [];
  const order = turned(names);
  for (const [i, piece] of chosen.entries())
    whole.push(...(apart[i] ? [row(0x0a, 0), row(0x0a, 1), row(0x11, order.indexOf(`g${i}`))] : piece(whole.length, imported, isTurned)));
  const functions = order.map((name): FunctionSpec => {
    const body = name === "f" ? whole : (chosen[Number(name.slice(1))] as Piece)(0, imported, isTurned);
    const visibility = name === "f" ? "public" : "private";
    return { name, visibility, params: ["u64", "u64"], locals: ["u64", "u64"], code: [...body, ret] };
  });
  return {
    structs: ["R", "Q"].map((name) => ({ name, abilities: ["key", "store", "drop"], fields: [["a", "u64"]] as const })),
    functions,
    imports,
    instantiations: [{ handle: imported("emit"), typeArguments: ["0xcafe::m::R"] }],
  };
}
