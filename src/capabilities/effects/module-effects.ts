import type { FunctionCode } from "../../core/move/code/read-code.ts";
import { DecodeError } from "../../core/move/decode-error.ts";
import { isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { addFact, type Fact, inTypes, isGeneric, makeFact } from "./fact.ts";
import { Effects, type KnownOfModule, type OwnCall, TYPE_TEXT_MAX } from "./own-effects.ts";
import { inCaller } from "./value.ts";

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
    if (!this.known.has(name) && this.functions.has(name)) {
      const open = (one: string): readonly string[] => this.callees(one).filter((callee) => !this.known.has(callee));
      // Mostly those that it calls are known.
      for (const group of open(name).length === 0 ? [[name]] : components([name], open)) this.close(group);
    }
    return this.known.get(name);
  }

  /** What a function does with all that it reaches in its module. */
  facts(name: string): Fact[] {
    return [...(this.of(name)?.facts.values() ?? [])].filter(({ isDead }) => !isDead);
  }

  counts(name: string): Counts {
    this.of(name);
    return this.counted.get(name);
  }

  /** The functions of the module that one names, each once. */
  callees(name: string): readonly string[] {
    let found = this.calleesOf.get(name);
    if (found === undefined) {
      const handles = this.functions.get(name)?.definition.callees ?? [];
      const isOwn = ({ module, name: callee }: (typeof handles)[number]) =>
        isSameModule(module, this.module.self) && this.functions.has(callee);
      found = handles.filter(isOwn).map((handle) => handle.name);
      this.calleesOf.set(name, found);
    }
    return found;
  }

  /** Reads functions that reach each other, or one, when all that they call else are known. */
  private close(group: readonly string[]): void {
    const made = group.map((name) => new Effects(this.functions.get(name) as FunctionCode, this.module));
    const carryAll = (isInside: boolean): void => {
      for (const caller of made)
        for (const call of caller.calls) if (group.includes(call.callee) === isInside) this.carry(caller, call, isInside);
    };
    carryAll(false);
    for (const [i, name] of group.entries()) this.known.set(name, made[i] as Effects);
    // Within a group each passes on to its callers what it has, until none has anything new.
    for (let isNew = group.some((name) => this.callees(name).some((callee) => group.includes(callee))); isNew; ) {
      const before = amount(made);
      carryAll(true);
      isNew = amount(made) > before;
    }
    for (const [i, name] of group.entries()) this.counted.set(name, group.length > 1 ? undefined : this.countsOf(name, made[i] as Effects));
  }

  /** Adds a callee's facts to those of its caller, with the type arguments and the codes that the call gives. */
  private carry(caller: Effects, { callee, typeArguments, args, isDead: isCallDead }: OwnCall, isRecursive: boolean): void {
    const given = isRecursive ? typeArguments.map((text) => (isGeneric(text) && !/^T\d+$/.test(text) ? "_" : text)) : typeArguments;
    const written = (text: string): string => cut(inTypes(text, given));
    const closed = this.known.get(callee)?.facts;
    this.count(closed?.size ?? 0);
    // One that calls itself walks what it adds as well.
    closed?.forEach((fact) => {
      const isDead = fact.isDead || isCallDead;
      const { kind, name, types, term } = fact;
      if (term?.param !== undefined)
        for (const one of inCaller({ terms: [term], literals: [] }, isRecursive ? [] : args)?.terms ?? [undefined])
          caller.addAbort(one, isDead);
      else if (given.length === 0 || (types.length === 0 && kind !== "emits")) addFact(caller.facts, fact, isDead);
      else addFact(caller.facts, makeFact(kind, kind === "emits" ? written(name) : name, types.map(written)), isDead);
    });
  }

  private countsOf(name: string, { counts, calls }: Effects): Counts {
    if (calls.length === 0) return counts;
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
function amount(made: readonly Effects[]): number {
  return made.reduce((sum, { facts }) => sum + facts.size + [...facts.values()].filter(({ isDead }) => !isDead).length, 0);
}

function cut(text: string): string {
  return text.length > TYPE_TEXT_MAX ? "_" : text;
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
