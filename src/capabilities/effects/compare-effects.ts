import { ANY_CODE, type Fact, type Facts } from "./fact.ts";
import { type Counts, components, type ModuleEffects } from "./module-effects.ts";
import type { Effects } from "./own-effects.ts";
import { onlyNumber } from "./value.ts";

/** Something that a function does on one side only. */
export type FactChange = { readonly fact: Fact; readonly isRemoved: boolean };

/**
 * What a function does otherwise by itself: what its callees do otherwise is said of them. `carriedTo` are the functions that do something
 * else because of it.
 */
export type Cause = {
  readonly name: string;
  readonly factChanges: readonly FactChange[];
  /** How much oftener it holds literals, operators and calls of other modules; undefined where that cannot be told. */
  readonly counts: Counts;
  /** It came back before, and never does now. */
  readonly isDead: boolean;
  /** What it always returns now, where it always returned the other: true or false. */
  readonly answer: boolean | undefined;
  readonly carriedTo: ReadonlySet<string>;
};

/** A cause while it is gathered. */
type Found = Cause & { factChanges: FactChange[]; isDead: boolean; carriedTo: Set<string> };

/**
 * What a function of both versions does in each, and how much oftener it holds something now with all that it calls; undefined where that
 * cannot be told.
 */
type Pair = { readonly before: Effects; readonly after: Effects; readonly more: Counts };

/**
 * Compares what the functions do that two versions of a module define, with all that they reach in it. `changed` have other instructions.
 * @throws DecodeError (`MOVEDEX_DECODE_LIMIT`)
 */
export function compareEffects(before: ModuleEffects, after: ModuleEffects, changed: ReadonlySet<string>): Cause[] {
  const nativeIn = ({ functions }: ModuleEffects, name: string): boolean | undefined => functions.get(name)?.definition.isNative;
  const isOther = (name: string): boolean => changed.has(name) || nativeIn(before, name) !== nativeIn(after, name);
  const calls = [before, after].flatMap((side) => Array.from(side.functions.keys(), (name) => [name, side.callees(name)] as const));
  const others = reaching([...changed, ...calls.map(([name]) => name).filter(isOther)], callersIn(calls));
  const shared = [...others].filter((name) => before.functions.has(name) && after.functions.has(name));
  const pairs = new Map(
    shared.map((name): [string, Pair] => {
      const sides = { before: before.of(name) as Effects, after: after.of(name) as Effects };
      const [was, is] = [before.counts(name), after.counts(name)];
      return [name, { ...sides, more: was && is && difference(is, was) }];
    }),
  );
  const callees = new Map(shared.map((name) => [name, sharedCallees(name, [before, after], others)]));
  // What one called before concerns it as long as it may have been put into it: not who never comes back now, or computes the same.
  const isSame = (name: string): boolean => {
    const more = pairs.get(name)?.more;
    return more !== undefined && settled(more).size === 0;
  };
  const callsFewer = (name: string): boolean => {
    const is = after.callees(name);
    return before.callees(name).some((callee) => !is.includes(callee));
  };
  const callersOf = (isNowOnly: (name: string) => boolean) =>
    callersIn(
      Array.from(callees, ([name, all]) => [
        name,
        callsFewer(name) && isNowOnly(name) ? sharedCallees(name, [before, after], others, [after]) : all,
      ]),
    );
  const callers = callersOf((name) => pairs.get(name)?.after.neverReturns === true || isSame(name));
  const found = new Map<string, Found>();
  const causeOf = (name: string, carriedTo: Iterable<string> = reaching([name], callers)): Found => {
    const cause = found.get(name) ?? { name, factChanges: [], counts: new Map(), isDead: false, answer: undefined, carriedTo: new Set() };
    for (const caller of carriedTo) if (caller !== name) cause.carriedTo.add(caller);
    found.set(name, cause);
    return cause;
  };
  const changes = Array.from(pairs).flatMap(([name, pair]) => factChangesOf(pair).map((change) => ({ name, change })));
  // Most of what comes or goes does so in the same functions.
  const causes = new Map<string, ReturnType<typeof causesAmong>>();
  for (const group of Map.groupBy(changes, ({ change: { fact, isRemoved } }) => `${isRemoved} ${fact.kind} ${fact.name}`).values()) {
    const members = Map.groupBy(group, ({ name }) => name);
    const key = [...members.keys()].join(" ");
    const among = causes.get(key) ?? causesAmong(new Set(members.keys()), callees, changed);
    causes.set(key, among);
    for (const { name, carriedTo } of among)
      causeOf(name, carriedTo).factChanges.push(...(members.get(name) ?? []).map(({ change }) => change));
  }
  const dead = Array.from(pairs).filter(([, pair]) => pair.after.neverReturns && !pair.before.neverReturns);
  const nowCallers = dead.length === 0 ? callers : callersOf(() => true);
  for (const { name } of causesAmong(new Set(dead.map(([name]) => name)), callees, changed))
    causeOf(name, reaching([name], nowCallers)).isDead = true;
  for (const name of changed) {
    const pair = pairs.get(name);
    if (found.get(name)?.isDead === true) continue;
    const counts = pair && countsOf(pair, callees.get(name) ?? new Set(), pairs);
    const answer = pair && otherAnswer(name, pair, [before, after]);
    if (pair !== undefined && (counts?.size !== 0 || answer !== undefined)) Object.assign(causeOf(name), { counts, answer });
  }
  return [...found.values()];
}

function otherAnswer(name: string, { before, after }: Pair, sides: readonly ModuleEffects[]): boolean | undefined {
  const [was, is] = [onlyNumber(before.returns), onlyNumber(after.returns)];
  const answers = ({ functions }: ModuleEffects) => functions.get(name)?.definition.handle.returns.types[0]?.text === "bool";
  return was === undefined || is === undefined || was === is || !sides.every(answers) ? undefined : is === 1n;
}

/** The functions of both versions, among others, that one calls in either, or in some, through those that only one has. */
function sharedCallees(name: string, sides: readonly ModuleEffects[], others: ReadonlySet<string>, some = sides): Set<string> {
  const found = new Set<string>();
  for (const side of some) {
    const open = new Set(side.callees(name));
    for (const callee of open) {
      if (!sides.every(({ functions }) => functions.has(callee))) for (const next of side.callees(callee)) open.add(next);
      else if (others.has(callee)) found.add(callee);
    }
  }
  found.delete(name);
  return found;
}

/** Those of `members` that reach no other of them, or among which all reach each other; with the members that reach each. */
function causesAmong(
  members: ReadonlySet<string>,
  callees: ReadonlyMap<string, ReadonlySet<string>>,
  changed: ReadonlySet<string>,
): { readonly name: string; readonly carriedTo: ReadonlySet<string> }[] {
  const within = new Map(Array.from(members, (name) => [name, [...(callees.get(name) ?? [])].filter((callee) => members.has(callee))]));
  const callers = callersIn(within);
  return components(members, (name) => within.get(name) ?? []).flatMap((group) => {
    if (group.some((name) => within.get(name)?.some((callee) => !group.includes(callee)))) return [];
    const own = group.filter((name) => changed.has(name));
    return (own.length === 0 ? group.slice(0, 1) : own).map((name) => ({ name, carriedTo: reaching([name], callers) }));
  });
}

function callersIn(callees: Iterable<readonly [caller: string, callees: Iterable<string>]>): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>();
  for (const [caller, of] of callees)
    for (const callee of of) {
      const known = callers.get(callee);
      if (known === undefined) callers.set(callee, [caller]);
      else known.push(caller);
    }
  return callers;
}

/** Those that call some at any depth, and they themselves. */
function reaching(names: Iterable<string>, callers: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set(names);
  // A set that grows while it is walked is walked to its end.
  for (const one of found) for (const caller of callers.get(one) ?? []) found.add(caller);
  return found;
}

/** What only one side does. Nothing is said of what something unknown on the other side may do as well. */
function factChangesOf({ before, after }: Pair): FactChange[] {
  const [wasUnknown, isUnknown] = [hasUnknown(before.facts), hasUnknown(after.facts)];
  return [
    ...(isUnknown ? [] : onlyIn(before.facts, after.facts).map((fact) => ({ fact, isRemoved: true }))),
    ...(wasUnknown && !isUnknown ? [] : onlyIn(after.facts, before.facts).map((fact) => ({ fact, isRemoved: false }))),
  ];
}

/** What one side does and the other does not, but for aborts with any code, or with what the caller gives. */
function onlyIn(these: Facts, those: Facts): Fact[] {
  const missing: Fact[] = [];
  for (const fact of these.values())
    if (!fact.isDead && !those.has(fact.key) && (fact.kind !== "aborts" || fact.code !== undefined)) missing.push(fact);
  const others = missing.length === 0 ? new Map<string, Fact[]>() : Map.groupBy(those.values(), ({ name }) => name);
  return missing.filter((fact) => !isWithin(fact, others));
}

function hasUnknown(facts: Facts): boolean {
  for (const { kind } of facts.values()) if (kind === "unknown") return true;
  return false;
}

/** Whether what the other side does, by name, includes it: who writes a resource may read it, and an unknown code may be any. */
function isWithin({ kind, name, types }: Fact, others: ReadonlyMap<string, readonly Fact[]>): boolean {
  if (kind === "aborts" && others.get(ANY_CODE) !== undefined) return true;
  return (others.get(name) ?? []).some(
    (other) =>
      (kind === "reads" && (other.kind === "writes" || other.kind === "moves")) ||
      (kind === other.kind && (types.includes("_") || other.types.includes("_"))),
  );
}

/** How much oftener a function holds something by itself than it did: what its callees hold more is subtracted. */
function countsOf({ before, after, more: all }: Pair, callees: ReadonlySet<string>, pairs: ReadonlyMap<string, Pair>): Counts {
  const own = difference(after.counts, before.counts);
  const isCalling = before.calls.length === after.calls.length && callsIn(before) === callsIn(after);
  // What both call alike would be subtracted again.
  if (isCalling && own.size === 0) return own;
  // Functions that are called in a circle, and those that call too much, are compared by themselves where both make the same calls.
  if (all === undefined) return isCalling || settled(own).size === 0 ? settled(own) : undefined;
  if (settled(all).size === 0) return settled(all);
  // A callee may have been put into its caller, or taken out of it, so that only one side calls it.
  const left = [before, after].map((side) => {
    const rest = new Map(all);
    for (const callee of callees) {
      const times = side.calls.filter((call) => call.callee === callee && !call.isDead).length;
      if (times > 0) for (const [key, by] of pairs.get(callee)?.more ?? []) add(rest, key, -by * times);
    }
    return settled(rest);
  });
  return left.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
}

/** What compilers make more or fewer of by themselves: truth values and conditions, and variants of an enum. */
export const CHANGING = /^(bool|condition .*) (?:true|false)$|^((?:Pack|Test)Variant .*::|field .*\.)\w+$/;

/** What counts of a difference: of what compilers make more of, or fewer, only one that took the place of another. */
function settled(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (![...counts.keys()].some((key) => CHANGING.test(key))) return counts;
  const kinds = Map.groupBy(counts, ([key]) => {
    const [, truth, variant] = CHANGING.exec(key) ?? [];
    return truth ?? variant;
  });
  return new Map(
    [...kinds].flatMap(([kind, found]) => {
      const [[, one = 0] = [], [, other = 0] = []] = found;
      return kind === undefined || (found.length === 2 && one === -other) ? found : [];
    }),
  );
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, times) => sum + Math.abs(times), 0);
}

function callsIn({ calls }: Effects): string {
  if (calls.length === 0) return "";
  const each = calls.map(({ callee, isValue, isDead }) => (isValue || isDead ? `${callee} ${isValue} ${isDead}` : callee));
  return each.sort().join(" ");
}

function difference(is: ReadonlyMap<string, number>, was: ReadonlyMap<string, number>): Map<string, number> {
  const more = new Map<string, number>();
  // A walk by entries makes a list of each.
  is.forEach((times, key) => void add(more, key, times - (was.get(key) ?? 0)));
  was.forEach((times, key) => void (is.has(key) || add(more, key, -times)));
  return more;
}

function add(counts: Map<string, number>, key: string, times: number): void {
  const sum = (counts.get(key) ?? 0) + times;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
