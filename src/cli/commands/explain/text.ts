import { abortCodeParts, compilerAbort, type FoundError, type Meaning } from "../../../abi/abort/abort-codes.ts";
import type { Failure } from "../../../abi/abort/execution-failure.ts";
import type { CodelessAbort, FailureMessage } from "../../../abi/abort/status.ts";
import type { ErrorCodeAbi } from "../../../abi/model.ts";
import { findVmStatus, type VmStatus } from "../../../abi/vm-status/vm-status.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import type { ModuleId } from "../../../move/types/types.ts";
import type { NamedError } from "./named-error.ts";

export type Explanation = {
  readonly module: ModuleId;
  readonly version: bigint;
  readonly code: bigint;
  /** The error that it stands for, if the module names it. */
  readonly found: FoundError | undefined;
  /** The module's error map, undefined when its bytes cannot be read. */
  readonly errors: readonly ErrorCodeAbi[] | undefined;
  /** What it meant over all snapshots, oldest first. */
  readonly meanings: readonly Meaning[];
  /** The error's name in the message that was pasted. */
  readonly reportedName: string | undefined;
};

const TEXT_MAX = 2000;

export function explanationText(explanation: Explanation): string {
  const { module, version, code } = explanation;
  const lines = [
    `${module.address}::${printable(module.name)} aborted with ${codeText(code)}`,
    ...[...compilerLines(code), ...(compilerAbort(code) === undefined ? [likelyErrorText(explanation)] : [])].map((line) => `  ${line}`),
    ...reportedNameText(explanation).map((line) => `  ${line}`),
    ...categoryLines(code).map((line) => `  ${line}`),
    `  as of ledger version ${version}`,
    ...historyLines(explanation),
  ];
  return `${lines.join("\n")}\n`;
}

/** A code without its module; `isAbort` where a message says that it is one. */
export type CodeAlone = { readonly code: bigint; readonly isAbort?: boolean; readonly isScript?: boolean };

/** What a code says by itself, when no module is named. */
export function categoryText({ code, isAbort, isScript }: CodeAlone): string {
  const lines = [...compilerLines(code), ...categoryLines(code)].map((line) => `  ${line}`);
  if (isScript === true)
    return `${[`a script aborted with ${codeText(code)}`, ...lines, "  scripts have no error texts; the script's source says what it means"].join("\n")}\n`;
  const status = code <= 0xffffn && isAbort !== true ? findVmStatus(Number(code)) : undefined;
  const other = status === undefined ? [] : [`  as a status of the VM it is ${status.name}: ${status.meaning}`];
  const advice = `  name the module that aborted to learn what its reason means: movedex explain 0x1::coin 0x${code.toString(16)}`;
  return `${[codeText(code), ...lines, ...other, advice].join("\n")}\n`;
}

/** A status of the VM in words; of an abort, who aborted. */
export function statusText({ code, name, meaning, kind }: VmStatus, abort?: CodelessAbort): string {
  const codeless =
    abort === undefined ? [] : ["the message has no abort code; the transaction's vm_status, or a simulation of it, has one"];
  const { module, isScript } = abort ?? {};
  if (module !== undefined)
    codeless.push(`all codes that the module explains: movedex explain ${module.address}::${printable(module.name)}`);
  if (isScript === true) codeless.push("a script aborted: no archive holds scripts, and only its source says what its code means");
  return lines([`${name} (${code}), a status of the VM`, meaning, `${kind.name}: ${kind.consequence}`, ...codeless]);
}

/** What the archive's bytecode says of a failure, or why it says nothing. */
export type ExplainedFailure = { readonly failure: Failure; readonly version: bigint } | { readonly unknown: string };

/** The statuses of a failure that no bytecode tells. */
const LIKELY = [
  "ARITHMETIC_ERROR",
  "VECTOR_OPERATION_ERROR",
  "RESOURCE_DOES_NOT_EXIST",
  "RESOURCE_ALREADY_EXISTS",
  "STRUCT_VARIANT_MISMATCH",
];

export function failureText({ module, place }: FailureMessage, status: VmStatus | undefined, explained: ExplainedFailure): string {
  const where = module === undefined ? "a script" : `${module.address}::${printable(module.name)}`;
  if ("unknown" in explained) {
    const reported = typeof place.fn === "string" ? ` in what the message calls ${printable(place.fn, 300)}` : "";
    const why =
      status === undefined
        ? ["most often it is one of these:", ...LIKELY.map((name) => `${name}: ${findVmStatus(name)?.meaning}`)]
        : [statusLine(status)];
    return lines([
      `the VM stopped ${where}${reported} at instruction ${place.offset}`,
      `the instruction is not known: ${explained.unknown}`,
      ...(typeof place.fn === "string" && module !== undefined ? ["nodes of 2025 may name a wrong function"] : []),
      ...why,
      ...(status === undefined ? ["a simulation of the transaction names the status"] : []),
    ]);
  }
  const { failure, version } = explained;
  const { cause } = failure;
  const found = status ?? findVmStatus(cause?.status ?? "");
  const marked = failure.lines.map(
    ({ index, text }) => `${index === place.offset ? ">" : " "} ${String(index).padStart(4)}: ${printable(text, TEXT_MAX)}`,
  );
  return lines([
    `the VM stopped ${where}::${printable(failure.function, 300)} at instruction ${place.offset}`,
    ...(failure.misnamed === undefined
      ? []
      : [
          `the node's text is wrong: it says ${printable(failure.misnamed, 300)}, since it looks the number of the definition up among the handles`,
        ]),
    ...(failure.others.length === 0
      ? []
      : [`a node of another release means ${failure.others.map((name) => printable(name, 300)).join(" or ")}`]),
    ...marked,
    ...(cause === undefined ? [] : [cause.why]),
    found === undefined ? "this instruction cannot fail by itself: a limit was reached, or what it calls failed" : statusLine(found),
    `as of ledger version ${version}`,
  ]);
}

/** What a node says when it keeps the cause to itself. */
export const withheldText = lines([
  "MISCELLANEOUS_ERROR: the node does not say why the transaction failed",
  "the transaction is kept and pays for gas; a simulation of it names the status",
]);

function statusLine({ name, meaning }: VmStatus): string {
  return `${name}: ${meaning}`;
}

function lines([head = "", ...rest]: readonly string[]): string {
  return `${[head, ...rest.map((line) => `  ${line}`)].join("\n")}\n`;
}

export function namedErrorsText(name: string, errors: readonly NamedError[]): string {
  const lines = errors.map(({ module, code, description, lastVersion }) => {
    const text = description.replaceAll(/\s+/g, " ").trim();
    const gone = lastVersion === null ? "" : ` (last seen at ledger version ${lastVersion})`;
    return `  ${module.address}::${printable(module.name)} ${code}${text === "" ? "" : `: ${printable(text, TEXT_MAX)}`}${gone}`;
  });
  const [first] = errors;
  const example = first === undefined ? "" : `movedex explain ${first.module.address}::${printable(first.module.name)} ${first.code}`;
  return `${[`${printable(name, 200)} is an error of ${plural(errors.length, "module")}:`, ...lines, `  with its history: ${example}`].join("\n")}\n`;
}

function likelyErrorText({ found, errors, code }: Explanation): string {
  if (found?.error !== undefined) return errorText(found.error);
  if (errors === undefined) return "its meaning is not known: this movedex cannot read the module's bytecode";
  if (errors.length === 0) return "the module explains none of its codes: it was built without error texts";
  const { reason, category } = abortCodeParts(code);
  const which = category === undefined && code > 0xffffn ? "this code" : `reason ${reason}`;
  return `the module has no text for ${which}; it explains ${errors.length} others`;
}

function reportedNameText({ found, reportedName, meanings }: Explanation): string[] {
  const lines =
    found?.byNode === undefined ? [] : [`nodes call it ${printable(found.byNode.name)}, which is wrong: they look only at its low 12 bits`];
  if (reportedName === undefined || reportedName === found?.error?.name || reportedName === found?.byNode?.name) return lines;
  const then = meanings.findLast(({ error }) => error?.name === reportedName);
  const when = then === undefined ? "no snapshot here has that name" : `it meant that ${stretch(then)}`;
  return [...lines, `the message calls it ${printable(reportedName, 100)}: ${when}`];
}

function historyLines({ meanings, found }: Explanation): string[] {
  const names = new Set(meanings.map(({ error }) => error?.name));
  if (names.size <= 1) return [];
  const lines = meanings.map((meaning) => `    ${stretch(meaning)}: ${meaningText(meaning)}`);
  names.delete(undefined);
  if (names.size > 1) return ["  the code changed its meaning:", ...lines];
  return [found?.error === undefined ? "  it had a text at other versions:" : "  it had no text at other versions:", ...lines];
}

function meaningText({ error }: Meaning): string {
  if (error === undefined) return "not known";
  return error === null ? "no text" : errorText(error);
}

function errorText({ code, name, description }: ErrorCodeAbi): string {
  const text = description.replaceAll(/\s+/g, " ").trim();
  const value = code > 0xffffn ? `0x${code.toString(16)}` : `${code}`;
  return `${printable(name, 200)} (${value})${text === "" ? "" : `: ${printable(text, TEXT_MAX)}`}`;
}

function stretch({ from, to }: Meaning): string {
  return to === null
    ? `from ledger version ${from} on`
    : from === to
      ? `at ledger version ${from}`
      : `from ledger version ${from} to ${to}`;
}

function compilerLines(code: bigint): string[] {
  const found = compilerAbort(code);
  return found === undefined ? [] : [`${found.name}: ${found.meaning}; the compiler's own code, and no error of the module`];
}

function categoryLines(code: bigint): string[] {
  const { reason, category } = abortCodeParts(code);
  if (compilerAbort(code) !== undefined) return [];
  if (category !== undefined) return [`category ${category.number}, ${category.name}: ${category.meaning}; reason ${reason}`];
  return code > 0xffffn ? ["its high bits are not a category of the standard library"] : ["it names no category"];
}

function codeText(code: bigint): string {
  return `0x${code.toString(16)} (${code})`;
}
