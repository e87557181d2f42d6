import type { ErrorCodeAbi } from "../../core/abi/model.ts";
import { keepTexts, listFirst, plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import { abortCodeParts, compilerAbort, type Meaning } from "../effects/abort-codes.ts";
import type { AbortExplanation, Raisers } from "./abort-explanation.ts";
import type { AbsentAnswer } from "./absent.ts";
import type { ExplainRequest } from "./request.ts";
import { findVmStatus, type VmStatus } from "./vm-status.ts";

/** `reportedName`: the error's name in the message that was pasted. */
type Explanation = AbortExplanation & { readonly reportedName: string | undefined };

const TEXT_MAX = 2000;

export function explanationText(explanation: Explanation): string {
  const { module, version, code } = explanation;
  return lines(
    `${moduleText(module)} aborted with ${codeText(code)}`,
    compilerText(code) ?? likelyErrorText(explanation),
    ...reportedNameTexts(explanation),
    categoryText(code),
    ...raiserTexts(explanation.raisers),
    `as of ledger version ${version}`,
    ...historyTexts(explanation),
  );
}

export type NamedError = {
  readonly name: string;
  readonly module: ModuleId;
  /** The reason in an abort code. */
  readonly code: string;
  readonly description: string;
  /** The last snapshot that showed it; null while it stands. */
  readonly lastVersion: bigint | null;
};

type Request<Kind> = Extract<ExplainRequest, { readonly kind: Kind }>;

export function codeAloneText({ code, isAbort, isScript }: Request<"number">): string {
  const about = [compilerText(code), categoryText(code)];
  if (isScript === true)
    return lines(
      `a script aborted with ${codeText(code)}`,
      ...about,
      "scripts have no error texts; the script's source says what it means",
    );
  const status = code <= 0xffffn && isAbort !== true ? findVmStatus(Number(code)) : undefined;
  return lines(
    codeText(code),
    ...about,
    status && `as a status of the VM it is ${statusLine(status)}`,
    `name the module that aborted to learn what its reason means: movedex explain 0x1::coin 0x${code.toString(16)}`,
  );
}

export function statusText({ code, name, meaning, kind }: VmStatus, sub?: string): string {
  return lines(
    code === null ? `${name}, a failure without a status` : `${name} (${code}), a status of the VM`,
    meaning,
    sub,
    `${kind.name}: ${kind.consequence}`,
  );
}

/** Where the VM stopped a function, and with which status if the message has one. */
export function failureText({ found: { module, place }, status, sub }: Request<"failure">): string {
  const { fn, offset } = place;
  const code = typeof fn === "string" ? printable(fn, 300) : `function definition ${fn}`;
  const where =
    module === undefined ? "a script" : typeof fn === "string" ? `${moduleText(module)}::${code}` : `${moduleText(module)}, ${code},`;
  return lines(
    `the VM stopped ${where} at code offset ${offset}`,
    module !== undefined && typeof fn === "string" && "nodes of 2025 may name a wrong function",
    status === undefined ? "the message does not say why; a simulation of the transaction names the status" : statusLine(status),
    sub,
  );
}

const NAMED = 10;

function raiserTexts({ raisedBy, reachedFrom }: Raisers): string[] {
  const names = (list: readonly string[]): string => printable(listFirst(list, NAMED), TEXT_MAX);
  return [
    ...(raisedBy.length === 0 ? [] : [`raised by ${names(raisedBy)}`]),
    ...(reachedFrom.length === 0 ? [] : [`its functions that can be called and reach it: ${names(reachedFrom)}`]),
  ];
}

export function absentText({ subject, says }: AbsentAnswer): string {
  return lines(printable(subject, 700), ...says.map((said) => printable(said, TEXT_MAX)));
}

export function namedErrorsText(name: string, errors: readonly NamedError[]): string {
  const found = errors.map(({ module, code, description, lastVersion }) => {
    const gone = lastVersion === null ? "" : ` (last seen at ledger version ${lastVersion})`;
    return `${moduleText(module)} ${code}${descriptionText(description)}${gone}`;
  });
  const [first] = errors;
  const example = first === undefined ? "" : `movedex explain ${moduleText(first.module)} ${first.code}`;
  return lines(`${printable(name, 200)} is an error of ${plural(errors.length, "module")}:`, ...found, `with its history: ${example}`);
}

function lines(head: string, ...about: Parameters<typeof keepTexts>[0]): string {
  return `${[head, ...keepTexts(about).map((line) => `  ${line}`)].join("\n")}\n`;
}

function moduleText({ address, name }: ModuleId): string {
  return `${address}::${printable(name)}`;
}

function statusLine({ name, meaning }: VmStatus): string {
  return `${name}: ${meaning}`;
}

function likelyErrorText({ found, errors, code }: Explanation): string {
  if (found?.error !== undefined) return errorText(found.error);
  if (errors === undefined) return "its meaning is not known: this movedex cannot read the module's bytecode";
  if (errors.length === 0) return "the module explains none of its codes: it was built without error texts";
  const { reason, category } = abortCodeParts(code);
  const which = category === undefined && code > 0xffffn ? "this code" : `reason ${reason}`;
  return `the module has no text for ${which}; it explains ${errors.length} others`;
}

function reportedNameTexts({ found, reportedName, meanings }: Explanation): string[] {
  const byNode = found?.byNode?.name;
  const texts = byNode === undefined ? [] : [`nodes call it ${printable(byNode)}, which is wrong: they look only at its low 12 bits`];
  if (reportedName === undefined || reportedName === found?.error?.name || reportedName === byNode) return texts;
  const then = meanings.findLast(({ error }) => error?.name === reportedName);
  const when = then === undefined ? "no snapshot here has that name" : `it meant that ${stretch(then)}`;
  return [...texts, `the message calls it ${printable(reportedName, 100)}: ${when}`];
}

function historyTexts({ meanings }: Explanation): string[] {
  if (new Set(meanings.map(({ error }) => error?.name)).size <= 1) return [];
  const words = (error: Meaning["error"]): string => (error === undefined ? "not known" : error === null ? "no text" : errorText(error));
  return ["its meaning by version:", ...meanings.map((meaning) => `  ${stretch(meaning)}: ${words(meaning.error)}`)];
}

function errorText({ code, name, description }: ErrorCodeAbi): string {
  const value = code > 0xffffn ? `0x${code.toString(16)}` : `${code}`;
  return `${printable(name, 200)} (${value})${descriptionText(description)}`;
}

function descriptionText(description: string): string {
  const text = description.replaceAll(/\s+/g, " ").trim();
  return text === "" ? "" : `: ${printable(text, TEXT_MAX)}`;
}

function stretch({ from, to }: Meaning): string {
  if (to === null) return `from ledger version ${from} on`;
  return from === to ? `at ledger version ${from}` : `from ledger version ${from} to ${to}`;
}

/** What a code of the compiler means; undefined for a module's own. */
function compilerText(code: bigint): string | undefined {
  const found = compilerAbort(code);
  return found && `${found.name}: ${found.meaning}; the compiler's own code, and no error of the module`;
}

function categoryText(code: bigint): string | undefined {
  const { reason, category } = abortCodeParts(code);
  if (compilerAbort(code) !== undefined) return undefined;
  if (category !== undefined) return `category ${category.number}, ${category.name}: ${category.meaning}; reason ${reason}`;
  return code > 0xffffn ? "its high bits are not a category of the standard library" : "it names no category";
}

function codeText(code: bigint): string {
  return `0x${code.toString(16)} (${code})`;
}
