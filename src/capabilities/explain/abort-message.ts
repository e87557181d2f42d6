import { U64_MAX } from "../../core/base/numbers.ts";
import { parseAddress } from "../../core/move/address.ts";
import { IDENTIFIER, type ModuleId } from "../../core/move/module-id.ts";
import { findVmStatusIn, LENGTH_MAX } from "./vm-status.ts";

/** An abort found in a message: the code, and the module and the error's name if the message gives them. */
export type AbortMessage = {
  readonly code: bigint;
  readonly module?: ModuleId | undefined;
  readonly name?: string | undefined;
  /** A script aborted, no module. */
  readonly isScript?: boolean | undefined;
};

const MODULE = `(?:0x)?(?<address>[0-9a-fA-F]{1,64})::(?<module>${IDENTIFIER})`;
/** Whole: a part of a longer number would be another code. */
const NUMBER = "(?<code>0x[0-9a-fA-F]{1,16}|[0-9]{1,20})(?![0-9a-fA-Fx])";
/** Where an abort came from in a structure that was printed: `location: 0x1::coin`, `"location": "Script"`. */
const LOCATION = String.raw`location"?\s?[:=]?\s?"?(?:StrView\()?(?:Module )?(?:${MODULE}|(?<script>Script)\b)`;

/** Errors of the VM, whose sub status is a code where the status is ABORTED. Source: `Display` and `Debug` of VMError in aptos-core. */
const SUB_STATUSES: readonly RegExp[] = [
  new RegExp(String.raw`sub.?status:? (?:Some\()?${NUMBER}.{0,2000}?${LOCATION}`, "i"),
  new RegExp(String.raw`sub.?status:? (?:Some\()?${NUMBER}.{0,200}?${MODULE}`, "i"),
  new RegExp(`status ABORTED of type Execution with sub status ${NUMBER}`),
];

/** The forms in which nodes, SDKs and tools report an abort, those with the most information first. */
const FORMS: readonly RegExp[] = [
  // Nodes: `Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): …`. Source: aptos-core api/types/src/convert.rs, explain_vm_status.
  new RegExp(String.raw`abort in ${MODULE}\s*:\s*(?<name>[A-Za-z_]\w*)\(${NUMBER}\)`, "i"),
  new RegExp(String.raw`abort in ${MODULE}\s*:\s*(?:code\s*)?${NUMBER}`, "i"),
  new RegExp(String.raw`abort(?: in (?<script>script))?\s*:\s*(?:code\s*)?${NUMBER}`, "i"),
  // The VM's status as Rust, JSON or a Cosmos chain prints it: `MoveAbort { location: 0x1::coin, code: 65542, … reason_name: "E…" }`.
  new RegExp(
    String.raw`${LOCATION}[")]*, ?"?(?:abort_)?code"?\s?[:=]\s?"?${NUMBER}(?:.{0,200}?reason_name:\s*"(?<name>[A-Za-z_]\w*)")?`,
    "i",
  ),
  // The same as a pair: `{"MoveAbort":["0x1::coin",65542]}`.
  new RegExp(String.raw`MoveAbort\W{1,6}(?:${MODULE}|(?<script>Script))\W{1,6}${NUMBER}`, "i"),
  // A multisig account's event, with its fields in any order. Source: `ExecutionError` in aptos-framework multisig_account.move.
  new RegExp(String.raw`(?=.{0,300}error_type\W{1,6}MoveAbort\b)(?=.{0,300}abort_${LOCATION}).{0,300}?error_code\W{1,6}${NUMBER}`),
  ...SUB_STATUSES,
  // Unit tests: `… it aborted with code 65545 originating in the module 00…01::nft rooted here`. Source: `ExpectedMoveErrorDisplay`.
  new RegExp(String.raw`aborted with code ${NUMBER}(?: \([^()]{0,100}\))? originating in the module ${MODULE}`, "i"),
  // The VM's status in a simulation's answer: `ABORTED { code: 42, location: 2a…d7::todolist, …`.
  new RegExp(String.raw`ABORTED \{ ?code: ${NUMBER}, ${LOCATION}`),
  new RegExp(String.raw`ABORTED\(${NUMBER}\)[\s:,in]*${MODULE}`),
  new RegExp(String.raw`ABORTED\(${NUMBER}\)`),
  // Typed by a person: `abort 0x10007 in 0x1::coin`, `65543 0x1::coin`, `0x1::coin 0x10007`, `0x1::coin: 65543`.
  new RegExp(String.raw`abort(?:ed)?\s+(?:with\s+)?(?:code\s+)?${NUMBER}\s+(?:in|at)\s+${MODULE}`, "i"),
  new RegExp(
    String.raw`^(?:[a-z]+ )?(?:code:? )?${NUMBER}(?: \([^()]{1,30}\))?,? (?:in |at |of |from )?(?:module:? )?${MODULE}(?:::\w+)?$`,
    "i",
  ),
  new RegExp(String.raw`^(?<name>[A-Z_]\w*)\(${NUMBER}\),? (?:in |at |of |from )?${MODULE}(?:::\w+)?$`, "i"),
  new RegExp(String.raw`^${MODULE}[\s:,]+(?:(?<name>[A-Za-z_]\w*)\()?${NUMBER}\)?$`, "i"),
  new RegExp(`^abort(?:ed)?(?: with)?(?: code)?:? ${NUMBER}$`, "i"),
];

/** Finds an abort in a message from a node, an SDK or a person, the one with the most information; undefined if there is none. */
export function parseAbortMessage(text: string): AbortMessage | undefined {
  return abortIn(oneLine(text))?.abort;
}

/** Aborts of one message that are looked for. */
const ABORTS_MAX = 10;

/** All aborts in a message, in its order, each once. */
export function parseAbortMessages(text: string): AbortMessage[] {
  let rest = oneLine(text);
  const found: { readonly at: number; readonly abort: AbortMessage }[] = [];
  for (let next = abortIn(rest); next !== undefined && found.length < ABORTS_MAX; next = abortIn(rest)) {
    const { at, length, abort } = next;
    // A second one without its module is what is left of the first.
    if (found.length === 0 || abort.module !== undefined) found.push({ at, abort });
    rest = `${rest.slice(0, at)}${" ".repeat(length)}${rest.slice(at + length)}`;
  }
  const keyOf = ({ code, module, isScript }: AbortMessage): string => `${code} ${module?.address} ${module?.name} ${isScript}`;
  return [...new Map(found.toSorted((a, b) => a.at - b.at).map(({ abort }) => [keyOf(abort), abort])).values()];
}

function abortIn(line: string): { readonly at: number; readonly length: number; readonly abort: AbortMessage } | undefined {
  for (const form of FORMS) {
    const match = form.exec(line);
    const groups = match?.groups;
    const code = groups?.["code"] === undefined ? undefined : parseAbortCode(groups["code"]);
    if (match === null || groups === undefined || code === undefined) continue;
    if (SUB_STATUSES.includes(form) && (findVmStatusIn(line)?.name ?? "ABORTED") !== "ABORTED") continue;
    const { name, script } = groups;
    const abort = { code, module: moduleOf(groups), name, isScript: script !== undefined || undefined };
    return { at: match.index, length: match[0].length, abort };
  }
  return undefined;
}

/** Something that a node or a tool did not find: a module, perhaps an item of it, or an account; at a version where the message has one. */
export type AbsentMessage = NonNullable<ReturnType<typeof parseAbsentMessage>>;

const ABSENT =
  /\bnot[ _]found\b|\b(?:could|can|did) ?not find\b|\bdoes not exist\b|\bdoesn't exist\b|LINKER_ERROR|FUNCTION_RESOLUTION_FAILURE/i;
const ABSENT_AT = /Address\((?<address>0x[0-9a-fA-F]{1,64})\)(?:, Module name\((?<module>\w{1,255})\))?/;
const ABSENT_ITEM = new RegExp(`${MODULE}(?:::(?<item>${IDENTIFIER}))?`);

/** Finds what a message says is not there. Sources: aptos-core `api/src/response.rs`, `api/src/view_function.rs`. */
export function parseAbsentMessage(text: string) {
  const line = oneLine(text);
  if (!ABSENT.test(line)) return undefined;
  const [at, named] = [ABSENT_AT.exec(line)?.groups, ABSENT_ITEM.exec(line)?.groups];
  const version = /Ledger version\((\d{1,20})\)/i.exec(line)?.[1];
  const where = named?.["module"] === undefined || at?.["module"] !== undefined ? at : named;
  const address = where?.["address"] === undefined ? undefined : parseAddress(where["address"]);
  if (where === undefined || address === undefined) return undefined;
  // As what a function was called.
  const as = /\b(entry|view)[ _]function\b/i.exec(line)?.[1]?.toLowerCase() as "entry" | "view" | undefined;
  return { address, module: where["module"], item: where["item"], as, version };
}

function moduleOf({ address, module }: Readonly<Record<string, string | undefined>>): ModuleId | undefined {
  const account = address === undefined ? undefined : parseAddress(address);
  return account && module !== undefined ? { address: account, name: module } : undefined;
}

/** A failed execution found in a message: the module (none of a script), and the place in it, by a function's name or its number. */
export type FailureMessage = NonNullable<ReturnType<typeof parseFailureMessage>>;

/** The forms in which an execution failure is reported, with the function's name or the number of its definition. */
const FAILURES: readonly RegExp[] = [
  // Nodes. Source: explain_vm_status in aptos-core api/types/src/convert.rs.
  new RegExp(String.raw`Execution failed in ${MODULE}::(?<fn>${IDENTIFIER}) at code offset (?<offset>\d{1,5})`),
  /Execution failed in script at code offset (?<offset>\d{1,5})/,
  // The VM's status printed by Rust, and as JSON.
  new RegExp(
    String.raw`EXECUTION_?FAILURE\b.{0,80}?${LOCATION}.{1,6}function(?:_index)?"?: ?"?(?<number>\d{1,5})"?, ?"?code_offset"?: ?"?(?<offset>\d{1,5})`,
    "i",
  ),
  // An error of the VM, in words and as Rust prints it.
  new RegExp(
    String.raw`VMError with .{0,200}?${LOCATION}.{0,2000}? at code offset (?<offset>\d{1,5}) in function definition (?<number>\d{1,5})`,
  ),
  new RegExp(
    String.raw`VMError \{.{0,2000}?${LOCATION}.{0,200}?offsets: \[\((?:FunctionDefinitionIndex\()?(?<number>\d{1,5})\)?, (?<offset>\d{1,5})\)`,
  ),
];

/** Finds a failed execution in a message from a node, an SDK or a person; undefined if there is none. */
export function parseFailureMessage(text: string) {
  const line = oneLine(text);
  const groups = FAILURES.map((form) => form.exec(line)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  const { fn, number, offset } = groups;
  return { module: moduleOf(groups), place: { fn: fn ?? Number(number ?? 0), offset: Number(offset) } };
}

/** How a module is printed as a structure, by Rust and as JSON. */
const STRUCTURES: readonly RegExp[] = [
  /(?:Module ?\(? ?)?ModuleId \{ ?address: ?(?:0x)?(?<address>[0-9a-f]{1,64}), ?name: ?Identifier\(\\?"(?<module>\w{1,255})\\?"\),? ?\}(?: ?,? ?\))?/gi,
  /(?:\{ ?"Module": ?)?\{ ?"address": ?"(?:0x)?(?<address>[0-9a-f]{1,64})", ?"name": ?"(?<module>\w{1,255})" ?\}(?: ?\})?/gi,
];

/** The beginning of a message on one line, without the frame that compilers draw, and with structured module ids as `0x1::coin`. */
function oneLine(text: string): string {
  const line = text
    .slice(0, LENGTH_MAX)
    .replaceAll(/[\s\u2500-\u257f]+/g, " ")
    .trim();
  return STRUCTURES.reduce((said, structure) => said.replaceAll(structure, "0x$<address>::$<module>"), line);
}

/** Parses an abort code, decimal or `0x` hex; undefined if it is not a u64. */
export function parseAbortCode(text: string): bigint | undefined {
  if (!/^(?:0x[0-9a-f]{1,16}|[0-9]{1,20})$/i.test(text)) return undefined;
  const code = BigInt(text);
  return code <= U64_MAX ? code : undefined;
}
