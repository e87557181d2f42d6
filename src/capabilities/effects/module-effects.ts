import type { FunctionCode } from "../../core/move/code/read-code.ts";
import { DecodeError } from "../../core/move/decode-error.ts";
import { isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { addFact, type Fact, inTypes, isGeneric, makeFact } from "./fact.ts";
import { addAbort, type Effects, type KnownOfModule, type OwnCall, ownEffects, TYPE_TEXT_MAX } from "./own-effects.ts";
import type { Term, Value } from "./value.ts";

/**
 * How often each literal, operator and function of another module stands in a function and in what it calls, as often as it is called;
 * undefined where that cannot be told, since functions call each other or are too many.
 */
export type Counts = ReadonlyMap<string, number> | undefined;

/** Facts and counts of one module that are brought from callees to callers; the largest real module has 30,000. */
const CARRIED_MAX = 1_000_000;
/** Instructions of a function with all that it calls, beyond which nothing is said of how often. */
const COUNT_MAX = 20_000;

/** The effects of a module's functions, each made when it is asked for. */
export class ModuleEffects {
  private readonly known = new Map<string, Effects>();
  private readonly counted = new Map<string, Counts>();
  private readonly calleesOf = new Map<string, readonly string[]>();
  private carried = 0;
  private readonly module: KnownOfModule;
  readonly functions: ReadonlyMap<string, FunctionCode>;

  constructor(self: ModuleId, functions: ReadonlyMap<string, FunctionCode>) {
    this.module = { self, summaryOf: (name) => this.known.get(name), meanings: new Map() };
    this.functions = functions;
  }

  /** @throws DecodeError (`MOVEDEX_DECODE_LIMIT`) where all of them together are too much */
  of(name: string): Effects | undefined {
    if (this.known.has(name) || !this.functions.has(name)) return this.known.get(name);
    for (const group of this.unknownFrom(name, this.known)) this.close(group);
    return this.known.get(name);
  }

  counts(name: string): Counts {
    if (this.counted.has(name)) return this.counted.get(name);
    for (const group of this.unknownFrom(name, this.counted))
      for (const one of group) this.counted.set(one, group.length > 1 ? undefined : this.countsOf(one));
    return this.counted.get(name);
  }

  /** One with all that it reaches and that is not known, each behind those that it calls; in one group those that call each other. */
  private unknownFrom(name: string, known: ReadonlyMap<string, unknown>): string[][] {
    const open = (one: string): readonly string[] => this.callees(one).filter((callee) => !known.has(callee));
    // Mostly those that it calls are known.
    return open(name).length === 0 ? [[name]] : components([name], open);
  }

  /** The functions of the module that one names, each once. */
  callees(name: string): readonly string[] {
    const known = this.calleesOf.get(name);
    if (known !== undefined) return known;
    const found: string[] = [];
    for (const { module, name: callee } of this.functions.get(name)?.definition.callees ?? [])
      if (isSameModule(module, this.module.self) && this.functions.has(callee)) found.push(callee);
    this.calleesOf.set(name, found);
    return found;
  }

  private close(group: readonly string[]): void {
    const isInside = ({ callee }: OwnCall): boolean => group.includes(callee);
    const made = group.map((name) => {
      const effects = ownEffects(this.functions.get(name) as FunctionCode, this.module);
      for (const call of effects.calls) if (!isInside(call)) this.carry(effects, call, false);
      return effects;
    });
    for (const [i, name] of group.entries()) this.known.set(name, made[i] as Effects);
    // Within a group each passes on to its callers what it has, until none has anything new.
    for (let isNew = made.some(({ calls }) => calls.some(isInside)); isNew; ) {
      const before = known(made);
      for (const caller of made) for (const call of caller.calls.filter(isInside)) this.carry(caller, call, true);
      isNew = known(made) > before;
    }
  }

  /** Adds a callee's facts to those of its caller, with the type arguments and the codes that the call gives. */
  private carry(caller: Effects, { callee, typeArguments, args, isDead: isCallDead }: OwnCall, isRecursive: boolean): void {
    const given = isRecursive ? typeArguments.map((text) => (isGeneric(text) && !/^T\d+$/.test(text) ? "_" : text)) : typeArguments;
    const { facts } = caller;
    const closed = this.known.get(callee)?.facts ?? new Map<string, Fact>();
    this.count(closed.size);
    for (const fact of closed === facts ? [...closed.values()] : closed.values()) {
      const isDead = fact.isDead || isCallDead;
      const { kind, name, types } = fact;
      if (kind === "aborts" && name.startsWith("arg"))
        for (const term of codesOf(name, isRecursive ? [] : args)) addAbort(caller, term, isDead);
      else if (given.length === 0 || (types.length === 0 && kind !== "emits")) addFact(facts, fact, isDead);
      else {
        const written = types.map((text) => cut(inTypes(text, given)));
        addFact(facts, makeFact(kind, kind === "emits" ? cut(inTypes(name, given)) : name, written), isDead);
      }
    }
  }

  private countsOf(name: string): Counts {
    const { counts, calls } = this.of(name) ?? {};
    if (counts === undefined || calls === undefined) return undefined;
    const sum = new Map(counts);
    let total = 0;
    for (const { callee, isValue, isDead } of calls) {
      if (isDead) continue;
      // What calls itself alone does so as often as its own calls say.
      const of = callee === name ? new Map([[`${name}()`, 1]]) : this.counted.get(callee);
      if (of === undefined) return undefined;
      this.count(of.size);
      if (isValue) sum.set("|function value|", (sum.get("|function value|") ?? 0) + 1);
      of.forEach((times, key) => {
        sum.set(key, (sum.get(key) ?? 0) + times);
        total += times;
      });
      if (total > COUNT_MAX) return undefined;
    }
    return sum;
  }

  private count(facts: number): void {
    this.carried += facts;
    if (this.carried > CARRIED_MAX) throw new DecodeError("limit", `its functions do more than ${CARRIED_MAX} things`, undefined);
  }
}

/** How much is known of functions: that something is done is more than that it stands in dead code. */
function known(made: readonly Effects[]): number {
  return made.reduce((sum, { facts }) => sum + facts.size + [...facts.values()].filter(({ isDead }) => !isDead).length, 0);
}

function cut(text: string): string {
  return text.length > TYPE_TEXT_MAX ? "_" : text;
}

/** The codes of an abort with a callee's parameter, by the arguments of a call. */
function codesOf(name: string, args: readonly Value[]): readonly (Term | undefined)[] {
  const [, param, plus] = /^arg(\d+) \+ (0x[\da-f]+)$/.exec(name) ?? [];
  const value = args[Number(param)];
  return value === undefined ? [undefined] : value.terms.map((term) => ({ ...term, plus: term.plus + BigInt(plus ?? 0) }));
}

/**
 * The groups of names that reach each other, from `roots` on, each behind those that it reaches: a name that does not reach itself is a
 * group alone.
 */
export function components(roots: Iterable<string>, next: (name: string) => readonly string[]): string[][] {
  const found: string[][] = [];
  // Where each was entered, and beyond all places once its group is found.
  const places = new Map<string, number>();
  const open: string[] = [];
  const enter = (name: string) => {
    const place = places.size;
    places.set(name, place);
    return { place, lowest: place, begin: open.push(name) - 1, rest: [...next(name)] };
  };
  for (const root of roots) {
    const path = places.has(root) ? [] : [enter(root)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const to = at.rest.pop();
      if (to !== undefined) {
        const place = places.get(to);
        if (place === undefined) path.push(enter(to));
        else at.lowest = Math.min(at.lowest, place);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) above.lowest = Math.min(above.lowest, at.lowest);
      if (at.lowest !== at.place) continue;
      const group = open.splice(at.begin);
      for (const member of group) places.set(member, Number.POSITIVE_INFINITY);
      found.push(group);
    }
  }
  return found;
}
