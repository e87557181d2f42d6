import type { DecodedModule } from "../../../core/abi/decode.ts";
import { attributeKinds, type FunctionAbi, isExposed } from "../../../core/abi/model.ts";
import { formatSignature } from "../../../core/abi/print/signature.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import type { MoveType } from "../../../core/move/types/make-type.ts";
import { type FindingScope, listNames, makeFinding, type RuleFinding, WHOLE_MODULE, type Witness } from "./finding.ts";
import type { RuleId } from "./rules/rules.ts";
import type { Audience } from "./severity.ts";
import { compareTypeParameters, isSameTypes } from "./type-parameters.ts";

/** What is compared of a version of a module. */
export type ComparedModule = Pick<DecodedModule, "abi" | "functionMarks">;

/** The same with the code of its functions by their names. */
export type ModuleFunctions = ComparedModule & { readonly functions: ReadonlyMap<string, FunctionCode> };

/** A function with what its bytecode alone says of it, and whether anything outside of its module can call it. */
export type MarkedFunction = {
  readonly fn: FunctionAbi;
  readonly isPersistent: boolean;
  readonly isLocking: boolean;
  readonly isReachable: boolean;
};

const VISIBILITIES = ["private", "friend", "public"] as const;

/** Compares functions. Findings are in the order of the older module, then of the newer one; those that nobody can call have one. */
export function compareFunctions(before: ComparedModule, after: ComparedModule): RuleFinding[] {
  const [old, now] = [markedFunctions(before), markedFunctions(after)];
  const found: RuleFinding[] = [];
  const hidden = { removed: [] as string[], added: [] as string[], changed: [] as string[] };
  for (const [name, was] of old) {
    const is = now.get(name);
    if (was.isReachable) found.push(...compareFunction(was, is));
    else if (is === undefined) hidden.removed.push(name);
  }
  for (const [name, is] of now) {
    const was = old.get(name);
    const witness = (): Witness => ({ before: was === undefined ? null : signatureText(was), after: signatureText(is) });
    if (is.isReachable && was?.isReachable !== true) found.push(finding("function-added", name, witness(), is));
    else if (is.isReachable || was?.isReachable === true) continue;
    else if (was === undefined) hidden.added.push(name);
    else if (compareFunction(was, is).length > 0) hidden.changed.push(`${name} (changed)`);
  }
  const others = { before: listNames(hidden.removed), after: listNames([...hidden.added, ...hidden.changed]) };
  if (others.before !== null || others.after !== null) found.push(makeFinding("private-functions-changed", WHOLE_MODULE, others));
  return found;
}

function compareFunction(old: MarkedFunction, now: MarkedFunction | undefined): RuleFinding[] {
  const { name } = old.fn;
  if (now === undefined) return [finding("function-removed", name, { before: signatureText(old), after: null }, old)];
  const found: RuleFinding[] = [];
  const witness = (...says: readonly boolean[]): Witness => ({ before: signatureText(old, ...says), after: signatureText(now, ...says) });
  const add = (rule: RuleId, audiences?: readonly Audience[], reached = old): void => {
    found.push(finding(rule, name, witness(), reached, audiences));
  };
  // What was gained concerns those who can use the function now.
  const compareModifier = (modifier: "entry" | "view", was: boolean, is: boolean): void => {
    if (was && !is) add(`${modifier}-removed`, ["clients"]);
    if (!was && is) add(`${modifier}-added`, ["clients"], now);
  };

  const widening = VISIBILITIES.indexOf(now.fn.visibility) - VISIBILITIES.indexOf(old.fn.visibility);
  if (widening < 0) add("visibility-reduced");
  if (widening > 0) add("visibility-widened", ["callers"], now);
  compareModifier("entry", old.fn.isEntry, now.fn.isEntry);
  compareModifier("view", old.fn.isView, now.fn.isView);
  // A function that is no longer public loses the attribute with its visibility.
  if (old.isPersistent && !now.isPersistent && widening >= 0) found.push(finding("persistent-removed", name, witness(true), old));

  if (!isSameTypes(old.fn.params, now.fn.params))
    add("parameters-changed", sameArguments(old.fn, now.fn) ? ["callers", "readers"] : undefined);
  if (!isSameTypes(old.fn.returns, now.fn.returns)) add("returns-changed", old.fn.isView ? undefined : ["callers", "readers"]);
  const typeParams = compareTypeParameters(old.fn.typeParams, now.fn.typeParams);
  if (typeParams.includes("count")) add("type-parameters-changed");
  if (typeParams.includes("tightened")) add("constraints-tightened");
  if (typeParams.includes("relaxed")) add("constraints-relaxed");

  if (randomness(old.fn) !== randomness(now.fn)) add("randomness-changed", ["clients"]);
  if (old.isLocking !== now.isLocking) add("module-lock-changed");
  if (old.fn.isNative !== now.fn.isNative) add("native-changed");
  return found;
}

/** A finding about a function, for those of `audiences` who can use it. */
function finding(rule: RuleId, name: string, witness: Witness, reached: MarkedFunction, audiences?: readonly Audience[]): RuleFinding {
  const reach = reachOf(reached);
  const concerned = audiences === undefined ? reach.audiences : reach.audiences.filter((audience) => audiences.includes(audience));
  return makeFinding(rule, { kind: "function", name }, witness, { ...reach, audiences: concerned });
}

/** Who can use a function, and whether the VM checks it. Source: the loop over `old_view.functions()` in compatibility.rs. */
export function reachOf({ fn, isPersistent }: MarkedFunction): FindingScope & { readonly audiences: readonly Audience[] } {
  const { visibility, isEntry, isView } = fn;
  const isChecked = visibility === "public" || isEntry || isPersistent;
  return {
    audiences: [
      ...(visibility !== "private" ? (["callers"] as const) : []),
      ...(isEntry || isView ? (["clients"] as const) : []),
      ...(isPersistent ? (["readers"] as const) : []),
    ],
    isFriendOnly: visibility === "friend",
    ...(isChecked ? {} : { insteadOfRefused: visibility === "friend" ? "refused where friends count" : "allowed" }),
  };
}

export function markedFunctions({ abi, functionMarks }: ComparedModule): Map<string, MarkedFunction> {
  const marked = (fn: FunctionAbi): MarkedFunction => {
    const marks = functionMarks.get(fn.name) ?? [];
    const isPersistent = marks.some(({ name }) => name === "persistent");
    const isLocking = marks.some(({ name }) => name === "module_lock");
    return { fn, isPersistent, isLocking, isReachable: isExposed(fn) || isPersistent };
  };
  return new Map(abi.functions.map((fn) => [fn.name, marked(fn)]));
}

/** The declaration on one line with the attributes that matter to others. Every public function is persistent, so there it is not shown. */
export function signatureText(marked: MarkedFunction, saysPersistent = marked.fn.visibility !== "public"): string {
  const { fn } = marked;
  const attributes = [
    ...(fn.isView ? ["#[view] "] : []),
    ...(randomness(fn) === undefined ? [] : [`#[randomness${randomness(fn)}] `]),
    ...(saysPersistent && marked.isPersistent ? ["#[persistent] "] : []),
    ...(marked.isLocking ? ["#[module_lock] "] : []),
  ];
  return `${attributes.join("")}${formatSignature(fn)}`;
}

function randomness({ attributes }: FunctionAbi): string | undefined {
  const attribute = attributes.find(({ kind }) => kind === attributeKinds.randomness);
  if (attribute === undefined) return undefined;
  return attribute.args.length === 0 ? "" : `(max_gas = ${attribute.args.join(", ")})`;
}

/** Whether clients pass the same arguments: signers come from the transaction, so only their number matters. */
function sameArguments(old: FunctionAbi, now: FunctionAbi): boolean {
  const isSigner = ({ text }: MoveType): boolean => text === "signer" || text === "&signer";
  const given = (fn: FunctionAbi): readonly MoveType[] => fn.params.filter((type) => !isSigner(type));
  return isSameTypes(given(old), given(now)) && old.params.length === now.params.length;
}
