import type { DecodedModule } from "../../../core/abi/decode.ts";
import { attributeKinds, type FunctionAbi, isExposed } from "../../../core/abi/model.ts";
import { formatSignature } from "../../../core/abi/print/signature.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import type { FunctionMark } from "../../../core/move/module/handles.ts";
import type { MoveType } from "../../../core/move/types/make-type.ts";
import { type FindingScope, listNames, makeFinding, type RuleFinding, WHOLE_MODULE, type Witness } from "./finding.ts";
import type { RuleId } from "./rules/rules.ts";
import type { Audience } from "./severity.ts";
import { compareTypeParameters, isSameTypes } from "./type-parameters.ts";

/** A version of a module with the code of its functions by their names. */
export type ModuleFunctions = Functions & { readonly functions: ReadonlyMap<string, FunctionCode> };

export type MarkedFunction = { readonly fn: FunctionAbi; readonly marks: readonly FunctionMark[] };

const VISIBILITIES = ["private", "friend", "public"] as const;

/** Compares functions. Findings are in the order of the older module, then of the newer one. */
export function compareFunctions(before: Functions, after: Functions): RuleFinding[] {
  const old = markedFunctions(before);
  const now = markedFunctions(after);
  const findings: RuleFinding[] = [];
  for (const [name, fn] of old) {
    if (isReachable(fn)) findings.push(...compareFunction(fn, now.get(name)));
  }
  for (const [name, fn] of now) {
    const was = old.get(name);
    if (!isReachable(fn) || isReachable(was)) continue;
    findings.push(finding("function-added", name, { before: was === undefined ? null : signatureText(was), after: signatureText(fn) }, fn));
  }
  return [...findings, ...hiddenChanges(old, now)];
}

type Functions = Pick<DecodedModule, "abi" | "functionMarks">;

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
  if (has(old, "persistent") && !has(now, "persistent") && widening >= 0)
    found.push(finding("persistent-removed", name, witness(true), old));

  if (!isSameTypes(old.fn.params, now.fn.params))
    add("parameters-changed", sameArguments(old.fn, now.fn) ? ["callers", "readers"] : undefined);
  if (!isSameTypes(old.fn.returns, now.fn.returns)) add("returns-changed", old.fn.isView ? undefined : ["callers", "readers"]);
  const typeParams = compareTypeParameters(old.fn.typeParams, now.fn.typeParams);
  if (typeParams.count) add("type-parameters-changed");
  if (typeParams.tightened) add("constraints-tightened");
  if (typeParams.relaxed) add("constraints-relaxed");

  if (randomness(old.fn) !== randomness(now.fn)) add("randomness-changed", ["clients"]);
  if (has(old, "module_lock") !== has(now, "module_lock")) add("module-lock-changed");
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
export function reachOf(marked: MarkedFunction): FindingScope & { readonly audiences: readonly Audience[] } {
  const { visibility, isEntry, isView } = marked.fn;
  const persistent = has(marked, "persistent");
  const isChecked = visibility === "public" || isEntry || persistent;
  return {
    audiences: [
      ...(visibility !== "private" ? (["callers"] as const) : []),
      ...(isEntry || isView ? (["clients"] as const) : []),
      ...(persistent ? (["readers"] as const) : []),
    ],
    isFriendOnly: visibility === "friend",
    ...(isChecked ? {} : { insteadOfRefused: visibility === "friend" ? "refused where friends count" : "allowed" }),
  };
}

function hiddenChanges(old: ReadonlyMap<string, MarkedFunction>, now: ReadonlyMap<string, MarkedFunction>): RuleFinding[] {
  const isHidden = (name: string): boolean => !isReachable(old.get(name)) && !isReachable(now.get(name));
  const removed = [...old.keys()].filter((name) => !now.has(name) && isHidden(name));
  const [kept, added] = [[], []] as [string[], string[]];
  for (const name of now.keys()) if (isHidden(name)) (old.has(name) ? kept : added).push(name);
  const changed = kept.filter((name) => compareFunction(old.get(name) as MarkedFunction, now.get(name)).length > 0);
  if (removed.length + added.length + changed.length === 0) return [];
  const witness = { before: listNames(removed), after: listNames([...added, ...changed.map((name) => `${name} (changed)`)]) };
  return [makeFinding("private-functions-changed", WHOLE_MODULE, witness)];
}

export function markedFunctions({ abi, functionMarks }: Functions): Map<string, MarkedFunction> {
  return new Map(abi.functions.map((fn) => [fn.name, { fn, marks: functionMarks.get(fn.name) ?? [] }]));
}

export function isReachable(marked: MarkedFunction | undefined): boolean {
  return marked !== undefined && (isExposed(marked.fn) || has(marked, "persistent"));
}

function has({ marks }: MarkedFunction, name: string): boolean {
  return marks.some((mark) => mark.name === name);
}

/** The declaration on one line with the attributes that matter to others. Every public function is persistent, so there it is not shown. */
export function signatureText(marked: MarkedFunction, saysPersistent = marked.fn.visibility !== "public"): string {
  const { fn } = marked;
  const attributes = [
    ...(fn.isView ? ["#[view] "] : []),
    ...(randomness(fn) === undefined ? [] : [`#[randomness${randomness(fn)}] `]),
    ...(saysPersistent && has(marked, "persistent") ? ["#[persistent] "] : []),
    ...(has(marked, "module_lock") ? ["#[module_lock] "] : []),
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
