import { findError } from "../../abi/abort/abort-codes.ts";
import { ModuleEffects } from "../../abi/effects/module-effects.ts";
import { type ErrorCodeAbi, isExposed, type ModuleAbi } from "../../abi/model.ts";
import type { StoredContent } from "../../archive/content/stored-content.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { functionsOf } from "./item-history.ts";

/** Functions of a module that raise an abort code, and those that others can call which reach it. */
export type Raisers = { readonly raisedBy: readonly string[]; readonly reachedFrom: readonly string[] };

/** Whether an abort code of a module is meant: this one, or one of an error. */
export function codesOfError({ errors }: Pick<ModuleAbi, "errors">, wanted: ErrorCodeAbi): (code: bigint) => boolean {
  return (code) => findError(errors, code)?.error?.code === wanted.code;
}

/** Which functions raise a code: those that have it while nothing that they call has it. Undefined where the code cannot be followed. */
export function raisersOf(content: StoredContent, isMeant: (code: bigint) => boolean): Raisers | undefined {
  const functions = functionsOf(content);
  if (content.kind !== "decoded" || functions === undefined) return undefined;
  const { abi } = content.module;
  return ifDecodable(() => {
    const effects = new ModuleEffects(abi, functions);
    const has = new Map(
      [...functions.keys()].map((name) => {
        const facts = [...(effects.of(name)?.facts.values() ?? [])];
        return [
          name,
          facts.some(({ kind, name: code, isDead }) => kind === "aborts" && !isDead && code.startsWith("0x") && isMeant(BigInt(code))),
        ];
      }),
    );
    const raises = (name: string): boolean => {
      const own = effects.of(name)?.own.aborts.flatMap(({ code, isDead }) => (isDead ? [] : (code?.terms ?? []))) ?? [];
      if (own.some(({ param, plus }) => param === undefined && isMeant(plus))) return true;
      return has.get(name) === true && !effects.callees(name).some((callee) => has.get(callee) === true);
    };
    return {
      raisedBy: abi.functions.map(({ name }) => name).filter(raises),
      reachedFrom: abi.functions.filter((fn) => isExposed(fn) && has.get(fn.name) === true).map(({ name }) => name),
    };
  });
}
