import { Disassembler } from "../../../src/core/move/code/disassemble.ts";
import { readFunctions } from "../../../src/core/move/code/read-code.ts";

/** What functions do with all that they reach in their module: `aborts 0x10001`, `emits 0x1::coin::Deposit`; `aborts ?` for any code. */
export type PlainEffects = ReadonlyMap<string, ReadonlySet<string>>;

const RESOURCES: Readonly<Record<string, string>> = {
  Exists: "reads",
  ImmBorrowGlobal: "reads",
  MutBorrowGlobal: "writes",
  MoveFrom: "moves",
  MoveTo: "moves",
};
const CATEGORIES =
  "invalid_argument out_of_range invalid_state unauthenticated permission_denied not_found aborted already_exists resource_exhausted cancelled internal not_implemented unavailable".split(
    " ",
  );

/** What one function does by itself, and the full names of those that it calls or makes values of. */
export type PlainFunction = { readonly effects: ReadonlySet<string>; readonly calls: ReadonlySet<string> };

/**
 * A second closure that shares nothing with the first: it asks backwards from each abort where its code comes from, and follows calls
 * from each function by itself. Type arguments, and branches that are never taken, do not count.
 */
export function plainEffects(bytes: Uint8Array, self: string): PlainEffects {
  const own = plainFunctions(bytes);
  const inside = (name: string): PlainFunction | undefined =>
    name.startsWith(`${self}::`) ? own.get(name.slice(self.length + 2)) : undefined;
  return new Map(Array.from(own.keys(), (name) => [name, plainClosure(`${self}::${name}`, inside)]));
}

/** All that a function does with those that it reaches, as far as they are known. */
export function plainClosure(start: string, functionOf: (name: string) => PlainFunction | undefined): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const one of reached) for (const callee of functionOf(one)?.calls ?? []) reached.add(callee);
  return new Set([...reached].flatMap((one) => [...(functionOf(one)?.effects ?? [])]));
}

export function plainFunctions(bytes: Uint8Array): ReadonlyMap<string, PlainFunction> {
  const own = new Map<string, PlainFunction>();
  const disassembler = new Disassembler();
  for (const [name, code] of readFunctions(bytes)) {
    if (code.length === 0) continue;
    const lines = disassembler.disassemble(code).instructions;
    const effects = new Set<string>();
    const calls = new Set<string>();
    for (const [at, line] of lines.entries()) {
      const [, opcode = "", of = ""] = /^(\w+?)(?:Generic)?(?: (.*))?$/.exec(line) ?? [];
      const item = of.replace(/[< ].*/, "");
      if (opcode === "CallClosure") effects.add("unknown");
      else if (opcode === "Abort") for (const code of topOf(lines, at)) effects.add(`aborts ${code}`);
      else if (opcode === "Call" || opcode === "PackClosure") {
        if (/^0x1::event::emit(?:_event)?$/.test(item)) effects.add(`emits ${of.replace(/^[^<]*</, "").replace(/[<>].*/, "")}`);
        else calls.add(item);
        if (item.includes("::dispatchable_")) effects.add("unknown");
        if (/^0x1::system_addresses::assert_/.test(item)) effects.add(`checks by ${item}`);
      } else if (RESOURCES[opcode] !== undefined) effects.add(`${RESOURCES[opcode]} ${item}`);
    }
    own.set(name, { effects, calls });
  }
  return own;
}

const KINDS = ["aborts with", "reads", "writes", "moves", "emits", "checks by"] as const;

/** What a side of a finding claims, in the words of `PlainEffects`. */
export function claimsIn(text: string | null): string[] {
  return (text ?? "").split("; ").flatMap((clause) => {
    const kind = KINDS.find((one) => clause.startsWith(`${one} `) && /0x|the code/.test(clause));
    if (kind === undefined) return [];
    if (kind === "aborts with") return Array.from(clause.matchAll(/0x[0-9a-f]+(?=\)|$|,| and)/g), ([code]) => `aborts ${code}`);
    let names = clause.slice(kind.length + 1);
    for (let inner = ""; inner !== names; names = names.replaceAll(/<[^<>]*>/g, "")) inner = names;
    return names
      .replace(/ and \d+ more$/, "")
      .split(", ")
      .flatMap((name) => (name.startsWith("0x") ? [`${kind} ${name}`] : []));
  });
}

/** What only `these` do; who writes or takes a resource reads it, a code that is not known may be any, and what is unknown all. */
export function only(these: ReadonlySet<string>, those: ReadonlySet<string>): string[] {
  if (those.has("unknown")) return [];
  return [...these].filter((effect) => {
    const [kind, name] = effect.split(" ");
    if (/aborts \?$/.test(effect) || those.has(effect.replace(/aborts .*/, "aborts ?"))) return false;
    return effect !== "unknown" && !those.has(effect) && !(kind === "reads" && (those.has(`writes ${name}`) || those.has(`moves ${name}`)));
  });
}

/** The codes that can be on top of the stack before an instruction. */
function topOf(lines: readonly string[], before: number, isLocal = new Set<string>()): string[] {
  let over = 0;
  for (let at = before - 1; at >= 0; at--) {
    const [opcode = "", operand = "", value = ""] = (lines[at] as string).split(" ");
    if (opcode === "Pop") over += 1;
    else if (opcode === "Nop") continue;
    else if (["LdU64", "LdConst", "CopyLoc", "MoveLoc"].includes(opcode) && over > 0) over -= 1;
    else if (over > 0) return ["?"];
    else if (opcode === "LdU64") return [hex(operand)];
    else if (opcode === "LdConst" && operand === "u64") return [hex(value)];
    else if (opcode === "CopyLoc" || opcode === "MoveLoc") return storedIn(lines, at, operand, isLocal);
    else if (opcode === "Call" && operand.startsWith("0x1::error::")) return categorized(lines, at, operand.slice(12), isLocal);
    else return ["?"];
  }
  return ["?"];
}

function categorized(lines: readonly string[], at: number, name: string, isLocal: Set<string>): string[] {
  const reasons = topOf(lines, at, isLocal);
  const category = name === "canonical" ? topOf(lines, at - 1)[0] : `0x${(CATEGORIES.indexOf(name) + 1).toString(16)}`;
  if (category === undefined || category === "?" || category === "0x0") return ["?"];
  return reasons.map((reason) => (reason === "?" ? "?" : `0x${((BigInt(category) << 16n) + BigInt(reason)).toString(16)}`));
}

/** The codes that a local variable can hold at an instruction: back along all ways that lead there. */
function storedIn(lines: readonly string[], at: number, local: string, seen: Set<string>): string[] {
  const found = new Set<string>();
  const next = [at];
  for (let place = next.pop(); place !== undefined; place = next.pop()) {
    if (seen.has(`${place} ${local}`)) continue;
    seen.add(`${place} ${local}`);
    if (place === 0) found.add("?");
    const sources = lines.flatMap((line, i) => (/^Br/.test(line) && line.endsWith(` L${place}`) ? [i] : []));
    const above = lines[place - 1];
    if (above !== undefined && !/^(?:Branch|Ret|Abort)\b/.test(above)) sources.push(place - 1);
    for (const source of sources) {
      if (lines[source] === `StLoc ${local}`) for (const code of topOf(lines, source, seen)) found.add(code);
      else next.push(source);
    }
  }
  return [...found];
}

function hex(decimal: string): string {
  return `0x${BigInt(decimal).toString(16)}`;
}
