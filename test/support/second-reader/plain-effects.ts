import { plainCode } from "./plain-code.ts";

/** What functions do with all that they reach in their module: `aborts 0x10001`, `emits 0x1::coin::Deposit`; `aborts ?` for any code. */
export type PlainEffects = ReadonlyMap<string, ReadonlySet<string>>;

const RESOURCES: Readonly<Record<number, string>> = { 41: "reads", 42: "writes", 43: "reads", 44: "moves", 45: "moves" };
const CATEGORIES =
  "invalid_argument out_of_range invalid_state unauthenticated permission_denied not_found aborted already_exists resource_exhausted cancelled internal not_implemented unavailable".split(
    " ",
  );

/**
 * A second closure that shares nothing with the first: it asks backwards from each abort where its code comes from, and follows calls
 * from each function by itself. Type arguments, and branches that are never taken, do not count.
 */
export function plainEffects(bytes: Uint8Array, self: string): PlainEffects {
  const own = new Map<string, { effects: Set<string>; calls: Set<string> }>();
  for (const [name, text] of plainCode(bytes)) {
    const [, ...lines] = text.replaceAll(/\b0{1,63}([0-9a-f]+)(?=::)/g, "0x$1").split("\n");
    const effects = new Set<string>();
    const calls = new Set<string>();
    for (const [at, line] of lines.entries()) {
      const [opcode = 0, of = ""] = [Number.parseInt(line, 10), line.slice(line.indexOf(" ") + 1)];
      const plain = of.replace(/<.*/, "").replace(/ .*/, "");
      const resource = RESOURCES[opcode] ?? RESOURCES[opcode - 18];
      if (opcode === 39) for (const code of topOf(lines, at)) effects.add(`aborts ${code}`);
      else if ([17, 56, 88, 89].includes(opcode)) {
        if (/^0x1::event::emit(?:_event)?$/.test(plain)) effects.add(`emits ${of.replace(/^[^<]*</, "").replace(/[<>].*/, "")}`);
        else if (plain.startsWith(`${self}::`)) calls.add(plain.slice(self.length + 2));
      } else if (resource !== undefined) effects.add(`${resource} ${plain}`);
    }
    own.set(name, { effects, calls });
  }
  return new Map(
    Array.from(own.keys(), (name) => {
      const reached = new Set([name]);
      for (const one of reached) for (const callee of own.get(one)?.calls ?? []) reached.add(callee);
      return [name, new Set([...reached].flatMap((one) => [...(own.get(one)?.effects ?? [])]))];
    }),
  );
}

/** The codes that can be on top of the stack before an instruction. */
function topOf(lines: readonly string[], before: number, isLocal = new Set<string>()): string[] {
  let over = 0;
  for (let at = before - 1; at >= 0; at--) {
    const [opcode, operand = ""] = (lines[at] as string).split(" ");
    if (opcode === "1") over += 1;
    else if (opcode === "40") continue;
    else if (["6", "7", "10", "11"].includes(opcode as string) && over > 0) over -= 1;
    else if (over > 0) return ["?"];
    else if (opcode === "6") return [`0x${littleEndian(operand.slice(2)).toString(16)}`];
    else if (opcode === "7" && operand === "p3") return [`0x${littleEndian((lines[at] as string).split(" ")[2] ?? "").toString(16)}`];
    else if (opcode === "10" || opcode === "11") return storedIn(lines, at, operand, isLocal);
    else if (opcode === "17" && operand.startsWith("0x1::error::")) return categorized(lines, at, operand.slice(12), isLocal);
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
    const sources = lines.flatMap((line, i) => (/^[345] /.test(line) && Number(line.slice(2)) === place ? [i] : []));
    const above = lines[place - 1];
    if (above !== undefined && !/^(?:5 |2$|39$)/.test(above)) sources.push(place - 1);
    for (const source of sources) {
      if (lines[source] === `12 ${local}`) for (const code of topOf(lines, source, seen)) found.add(code);
      else next.push(source);
    }
  }
  return [...found];
}

function littleEndian(hex: string): bigint {
  return BigInt(`0x${hex.match(/../g)?.reverse().join("") ?? "0"}`);
}
