import { type FunctionAbi, isExposed } from "../../../core/abi/model.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { formatModuleId, itemNameOf, type ModuleId } from "../../../core/move/module-id.ts";
import { abortCodeParts } from "../../effects/abort-codes.ts";
import { type Cause, compareEffects, type FactChange } from "../../effects/compare-effects.ts";
import { effectText } from "../../effects/fact.ts";
import { ModuleEffects } from "../../effects/module-effects.ts";
import { clausesOf, countClauses, replacedOperators } from "./behaviour-words.ts";
import { listNames, makeFinding, type RuleFinding, WHOLE_MODULE, type Witness } from "./finding.ts";
import { type MarkedFunction, type ModuleFunctions, markedFunctions, reachOf } from "./functions.ts";
import type { RuleId } from "./rules/rules.ts";
import type { Audience } from "./severity.ts";

/**
 * Functions of the framework that the VM calls by itself, around each transaction and block, though they are private. Source: aptos-core
 * `aptos-move/aptos-vm/src/transaction_validation.rs`, `block_prologue` in `aptos_vm.rs`, `aptos-move/vm-genesis/src/lib.rs`,
 * `types/src/account_config/constants`.
 */
const CALLED: Readonly<Record<string, RegExp>> = {
  account: /^(?:script|module|writeset|unified|multi_agent_script)_(?:prologue|epilogue)$|^(?:prologue|epilogue)/,
  account_abstraction: /^authenticate$/,
  block: /^block_(?:prologue|epilogue)|^emit_writeset_block_event$/,
  genesis: /./,
  jwks: /^upsert_into_observed_jwks$/,
  multisig_account: /^(?:validate_multisig_transaction|(?:successful|failed)_transaction_execution_cleanup)$/,
  reconfiguration_with_dkg: /^finish_with_dkg_result$/,
  transaction_validation: /(?:^|_)(?:prologue|epilogue)(?:_|$)/,
};

function isCalledByVm({ address, name }: ModuleId, fn: string): boolean {
  return address === "0x1" && CALLED[name]?.test(fn) === true;
}

/** Two versions of a module, what their functions do, and which of them have other instructions. */
type Versions = {
  readonly before: ModuleFunctions;
  readonly after: ModuleFunctions;
  readonly was: ModuleEffects;
  readonly is: ModuleEffects;
  readonly changed: ReadonlySet<string>;
};

/** Events that functions of a module emitted, and none of them does now. An event that is no struct any more is told as that. */
function lastEmitters({ before, after, was, is }: Versions, causes: readonly Cause[]): RuleFinding[] {
  const roots = new Set(rootsIn(after));
  const isLess = causes.some(({ factChanges }) => factChanges.some(({ fact, isRemoved }) => isRemoved && fact.kind === "emits"));
  if (!isLess && rootsIn(before).every((name) => roots.has(name))) return [];
  const [old, now] = [emittersIn(was, before), emittersIn(is, after)];
  // A function that emits whatever its caller says may emit any.
  if ([...now.keys()].some((event) => /^T\d+$/.test(event))) return [];
  return [...old].flatMap(([event, functions]) => {
    if (now.has(event) || /^T\d+$/.test(event)) return [];
    const isOwn = event.startsWith(`${formatModuleId(after.abi)}::`);
    const name = itemNameOf(event);
    if (isOwn && !after.abi.structs.some((struct) => struct.name === name)) return [];
    const emitters = `emitted by ${listNames(functions)}`;
    const witness = { before: isOwn ? emitters : `${event} ${emitters}`, after: null };
    return [makeFinding("event-not-emitted", isOwn ? { kind: "struct", name } : WHOLE_MODULE, witness)];
  });
}

/** The functions that are called from outside of the module. */
function rootsIn({ abi, functionMarks }: ModuleFunctions): string[] {
  const isRoot = (fn: FunctionAbi): boolean => isExposed(fn) || functionMarks.has(fn.name) || isCalledByVm(abi, fn.name);
  return abi.functions.filter(isRoot).map(({ name }) => name);
}

/** The functions that emit events, by the events without their type arguments; what nothing can call is left out. */
function emittersIn(effects: ModuleEffects, module: ModuleFunctions): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const called = new Set([...rootsIn(module), "init_module"]);
  for (const name of called) {
    for (const callee of effects.callees(name)) called.add(callee);
    // What one emits is known only when all that it calls is followed.
    if (!module.functions.get(name)?.definition.callees.some((callee) => callee.module.name === "event")) continue;
    for (const written of effects.of(name)?.emits ?? []) {
      const event = written.replace(/<.*/s, "");
      found.set(event, [...(found.get(event) ?? []), name]);
    }
  }
  return found;
}

/**
 * What the functions do otherwise, each difference once: at the function that makes it, for all who can reach that. Where there is too
 * much to be followed, only which functions have other instructions.
 */
export function compareBehaviour(before: ModuleFunctions, after: ModuleFunctions, changed: ReadonlySet<string>): RuleFinding[] {
  const followed = ifDecodable(() => {
    const was = new ModuleEffects(before.abi, before.functions);
    const is = new ModuleEffects(after.abi, after.functions);
    const [versions, causes] = [{ before, after, was, is, changed }, compareEffects(was, is, changed)];
    const found = causes.flatMap((cause) => causeFindings(cause, versions));
    return [...merged(found, after), ...lastEmitters(versions, causes)];
  });
  if (followed !== undefined) return followed;
  const witness = { before: null, after: "other instructions; what they do is more than can be followed" };
  const found = Array.from(changed, (name): Found => ({ rule: "function-changed", witness, functions: [name], effects: undefined }));
  return merged(found, after);
}

/** What a function does concerns who can call it; of what the VM calls, everybody who sends transactions. */
function audiencesOf(module: ModuleFunctions["abi"], marked: MarkedFunction | undefined): readonly Audience[] {
  if (marked === undefined) return [];
  const found: Audience[] = reachOf(marked).audiences.filter((audience) => audience !== "readers");
  if (isCalledByVm(module, marked.fn.name) && !found.includes("clients")) found.push("clients");
  return found.length === 0 && marked.isReachable ? ["callers"] : found;
}

/** A finding before it is known whom it concerns: about the first function, for those of all. */
type Found = {
  readonly rule: RuleId;
  readonly witness: Witness;
  readonly functions: readonly string[];
  readonly effects: RuleFinding["effects"] | undefined;
};

/** Categories of abort codes that say that somebody may not do something, or not now. */
const CHECKS: ReadonlySet<string> = new Set(["INVALID_STATE", "UNAUTHENTICATED", "PERMISSION_DENIED"]);

function causeFindings(cause: Cause, { before, after, is, changed }: Versions): Found[] {
  const { name, factChanges, counts, isDead, answer, carriedTo } = cause;
  const [module, { errors }] = [formatModuleId(after.abi), after.abi];
  const functions = [name, ...[...carriedTo].filter((one) => after.functions.has(one)).sort()];
  const found = (rule: RuleId, before: string | null, after: string | null, of?: readonly FactChange[]): Found[] =>
    before === null && after === null
      ? []
      : [{ rule, witness: { before, after }, functions, effects: of?.filter(isSaid).map(({ fact }) => effectText(module, fact)) }];
  // Which fields goes without saying where there is more to say.
  const isSaid = ({ fact, isRemoved }: FactChange): boolean =>
    fact.kind !== "touches" || factChanges.every((one) => one.isRemoved !== isRemoved || one.fact.kind === "touches");
  const side = (isRemoved: boolean) =>
    clausesOf(
      factChanges.filter((change) => change.isRemoved === isRemoved && isSaid(change)).map(({ fact }) => fact),
      isRemoved ? before.abi.errors : errors,
    );
  if (isDead) {
    const aborts = is.facts(name).filter(({ kind }) => kind === "aborts");
    return found("always-aborts", null, clausesOf(aborts, errors) ?? "never comes back");
  }
  const [removed, added] = [factChanges.filter(({ isRemoved }) => isRemoved), factChanges.filter(({ isRemoved }) => !isRemoved)];
  const isOtherCode =
    counts?.size === 0 && removed.length === 1 && added.length === 1 && factChanges.every(({ fact }) => fact.kind === "aborts");
  if (isOtherCode) return found("abort-codes-changed", side(true), side(false), factChanges);
  const { comparisons, constants, rest } = replacedOperators(counts ?? new Map(), factChanges.length === 0);
  // What goes or comes together with a check is said with it.
  const [isOpened, isGuarded] = [removed.some(isCheck), added.some(isCheck)];
  const other = found("function-changed", isOpened ? null : side(true), isGuarded ? null : side(false), factChanges);
  const computed =
    factChanges.length > 0 ? null : counts === undefined ? "other instructions; what they compute cannot be told" : countClauses(rest);
  return [
    ...(isOpened ? found("check-removed", side(true), null, removed) : []),
    ...(isGuarded ? found("check-added", null, side(false), added) : []),
    ...comparisons.flatMap(([was, is]) => found("comparison-changed", was, is)),
    ...(answer === undefined ? constants : []).flatMap(([was, is]) => found("constant-changed", was, is)),
    ...(answer === undefined ? [] : found("constant-changed", `returns ${!answer}`, `returns ${answer}`)),
    ...other,
    ...(other.length > 0 || !changed.has(name) ? [] : found("function-changed", null, computed)),
  ];
}

function isCheck({ fact: { kind, code } }: FactChange): boolean {
  if (kind !== "aborts") return kind === "checks";
  return CHECKS.has(abortCodeParts(code ?? 0n).category?.name ?? "");
}

/** Findings of one rule that say the same of several functions are one. */
function merged(found: readonly Found[], after: ModuleFunctions): RuleFinding[] {
  if (found.length === 0) return [];
  const sizeOf = (name: string): number => after.functions.get(name)?.length ?? 0;
  const marked = markedFunctions(after);
  const audiencesIn = (name: string): readonly Audience[] => audiencesOf(after.abi, marked.get(name));
  const groups = Map.groupBy(found, ({ rule, witness, functions: [name] }) =>
    JSON.stringify([rule, witness, ...(rule === "always-aborts" ? [name] : [])]),
  );
  return Array.from(groups.values(), (group) => {
    const { rule, witness } = group[0] as Found;
    const concernsAnybody = (name: string): boolean => audiencesIn(name).length > 0;
    // The smallest of several that changed alike says the most of it.
    const bySize = group.map(({ functions: [name] }) => name as string).sort((a, b) => sizeOf(a) - sizeOf(b));
    const name = bySize.find(concernsAnybody) ?? (bySize[0] as string);
    const functions = [...new Set(group.flatMap((one) => one.functions))].filter((one) => one !== name && concernsAnybody(one));
    const effects = group.every((one) => one.effects !== undefined) ? [...new Set(group.flatMap((one) => one.effects ?? []))] : undefined;
    const reached = [name, ...functions].flatMap((one) => marked.get(one) ?? []);
    const concerned = [...new Set([name, ...functions].flatMap(audiencesIn))];
    const callable = reached.filter(({ fn }) => fn.visibility !== "private");
    const isFriendOnly = callable.length > 0 && callable.every(({ fn }) => fn.visibility === "friend");
    return {
      ...makeFinding(rule, { kind: "function", name }, witness, { audiences: concerned, isFriendOnly }),
      ...(functions.length === 0 ? {} : { functions }),
      ...(effects === undefined ? {} : { effects }),
      ...(concerned.length > 0 ? {} : { severity: { callers: "silent" } as const }),
    };
  });
}
