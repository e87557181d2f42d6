import { callsOf } from "../../move/code/calls.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { formatFunction } from "./call-graph.ts";

/** The functions of a module that call a function, by its full name. */
export type CallersByCallee = ReadonlyMap<string, readonly string[]>;

/** Which functions of a module call which; undefined where its bytecode cannot be read. */
export function callersIn(bytes: Uint8Array): CallersByCallee | undefined {
  return ifDecodable(() => {
    const callers = new Map<string, Set<string>>();
    for (const { caller, callees } of callsOf(bytes).calls) {
      for (const callee of callees) {
        const key = formatFunction(callee);
        const known = callers.get(key) ?? new Set();
        callers.set(key, known.add(caller.name));
      }
    }
    return new Map(Array.from(callers, ([callee, names]) => [callee, [...names]]));
  });
}
