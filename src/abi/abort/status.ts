import { U64_MAX } from "../../base/u64.ts";
import { parseAddress } from "../../move/address.ts";
import { IDENTIFIER } from "../../move/identifier.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { FailurePlace } from "./execution-failure.ts";

/** An abort found in a message: the code, and the module and the error's name if the message gives them. */
export type AbortMessage = {
  readonly code: bigint;
  readonly module?: ModuleId;
  /** The error's name that the message gives. */
  readonly name?: string;
  /** A script aborted, no module. */
  readonly isScript?: true;
};

const MODULE = `(?:0x)?(?<address>[0-9a-fA-F]{1,64})::(?<module>${IDENTIFIER})`;
/** A module as Rust prints it: `ModuleId { address: 00…01, name: Identifier("coin") }`. */
const STRUCTURE = String.raw`address:\s*(?:0x)?(?<address>[0-9a-fA-F]{1,64}),\s*name:\s*Identifier\(\\?"(?<module>\w+)\\?"\)`;
const NUMBER = "(?<code>0x[0-9a-fA-F]{1,16}|[0-9]{1,20})";

/** The forms in which nodes, SDKs and tools report an abort, those with the most information first. */
const FORMS: readonly RegExp[] = [
  // Nodes: `Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): …`. Source: aptos-core api/types/src/convert.rs, explain_vm_status.
  new RegExp(String.raw`abort in ${MODULE}\s*:\s*(?<name>[A-Za-z_]\w*)\(${NUMBER}\)`, "i"),
  new RegExp(String.raw`abort in ${MODULE}\s*:\s*(?:code\s*)?${NUMBER}`, "i"),
  new RegExp(String.raw`abort(?: in (?<script>script))?\s*:\s*(?:code\s*)?${NUMBER}`, "i"),
  // The VM's status as JSON: `{"MoveAbort":{"location":{"Module":{"address":"0x1","name":"coin"}},"code":65542}}`.
  new RegExp(
    String.raw`"MoveAbort".{0,60}?"address":\s*"(?:0x)?(?<address>[0-9a-f]{1,64})",\s*"name":\s*"(?<module>\w+)".{0,60}?"code":\s*"?${NUMBER}`,
    "is",
  ),
  new RegExp(String.raw`"MoveAbort".{0,60}?"(?<script>Script)".{0,60}?"code":\s*"?${NUMBER}`, "is"),
  // The VM's own structures printed by Rust: `MoveAbort { location: 0x1::coin, code: 65542, … reason_name: "E…" }`.
  new RegExp(
    String.raw`location:\s*(?:Module\()?${MODULE}\)?,\s*code:\s*${NUMBER}(?:.{0,200}?reason_name:\s*"(?<name>[A-Za-z_]\w*)")?`,
    "is",
  ),
  new RegExp(String.raw`${STRUCTURE}.{0,200}?(?:code:\s*|,\s*)${NUMBER}`, "is"),
  new RegExp(String.raw`MoveAbort\(${MODULE},\s*${NUMBER}`, "i"),
  new RegExp(String.raw`sub.?status:?\s*(?:Some\()?${NUMBER}.{0,200}?${MODULE}`, "is"),
  new RegExp(String.raw`sub.?status:?\s*(?:Some\()?${NUMBER}.{0,200}?${STRUCTURE}`, "is"),
  // Unit tests: `… it aborted with code 65545 originating in the module 00…01::nft rooted here`. Source: `ExpectedMoveErrorDisplay`.
  new RegExp(`aborted with code ${NUMBER} originating in the module ${MODULE}`, "i"),
  // The VM's status in a simulation's answer: `ABORTED { code: 42, location: 2a…d7::todolist, …`.
  new RegExp(String.raw`ABORTED\s*\{\s*code:\s*${NUMBER},\s*location:\s*${MODULE}`),
  new RegExp(String.raw`ABORTED\(${NUMBER}\)[\s:,in]*${MODULE}`),
  new RegExp(String.raw`ABORTED\(${NUMBER}\)`),
  new RegExp(`status ABORTED of type Execution with sub status ${NUMBER}`),
  // Typed by a person: `abort 0x10007 in 0x1::coin`, `0x1::coin 0x10007`, `0x1::coin: 65543`.
  new RegExp(String.raw`abort(?:ed)?\s+(?:with\s+)?(?:code\s+)?${NUMBER}\s+(?:in|at)\s+${MODULE}`, "i"),
  new RegExp(String.raw`^\s*${MODULE}[\s:,]+(?:(?<name>[A-Za-z_]\w*)\()?${NUMBER}\)?\s*$`, "i"),
];

/** Characters of a message that are searched: the report of an abort stands at its beginning. */
const LENGTH_MAX = 20_000;

/** Finds an abort in a message from a node, an SDK or a person; undefined if there is none. */
export function parseAbortMessage(text: string): AbortMessage | undefined {
  const cut = oneLine(text.slice(0, LENGTH_MAX));
  for (const form of FORMS) {
    const groups = form.exec(cut)?.groups;
    const code = groups?.["code"] === undefined ? undefined : parseAbortCode(groups["code"]);
    if (groups === undefined || code === undefined) continue;
    const { address, module, name, script } = groups;
    const account = address === undefined ? undefined : parseAddress(address);
    return {
      code,
      ...(account === undefined || module === undefined ? {} : { module: { address: account, name: module } }),
      ...(name === undefined ? {} : { name }),
      ...(script === undefined ? {} : { isScript: true as const }),
    };
  }
  return undefined;
}

/** A failed execution found in a message: the module (none of a script), the function and the instruction. */
export type FailureMessage = { readonly module: ModuleId | undefined; readonly place: FailurePlace };

/** The forms in which an execution failure is reported, with the function's name or the number of its definition. */
const FAILURES: readonly RegExp[] = [
  // Nodes. Source: explain_vm_status in aptos-core api/types/src/convert.rs.
  new RegExp(String.raw`Execution failed in ${MODULE}::(?<fn>${IDENTIFIER}) at code offset (?<offset>\d{1,5})`),
  /Execution failed in script at code offset (?<offset>\d{1,5})/,
  // The VM's status printed by Rust, and as JSON.
  new RegExp(
    String.raw`EXECUTION_FAILURE\s*\{.{0,80}?location:\s*${MODULE},\s*function:\s*(?<number>\d{1,5}),\s*code_offset:\s*(?<offset>\d{1,5})`,
    "is",
  ),
  /"ExecutionFailure".{0,60}?"location":\s*"Script".{0,60}?"code_offset":\s*"?(?<offset>\d{1,5})/is,
  /"ExecutionFailure".{0,60}?"address":\s*"(?:0x)?(?<address>[0-9a-f]{1,64})",\s*"name":\s*"(?<module>\w+)".{0,60}?"function":\s*"?(?<number>\d{1,5})"?,\s*"code_offset":\s*"?(?<offset>\d{1,5})/is,
];

/** Finds a failed execution in a message from a node, an SDK or a person; undefined if there is none. */
export function parseFailureMessage(text: string): FailureMessage | undefined {
  const cut = oneLine(text.slice(0, LENGTH_MAX));
  for (const form of FAILURES) {
    const groups = form.exec(cut)?.groups;
    if (groups === undefined) continue;
    const { address, module, fn, number, offset } = groups;
    const account = address === undefined ? undefined : parseAddress(address);
    return {
      module: account === undefined || module === undefined ? undefined : { address: account, name: module },
      place: { fn: fn ?? Number(number ?? 0), offset: Number(offset) },
    };
  }
  return undefined;
}

/** A message of several lines in one, without the frame that compilers draw around what they report. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\u2500-\u257f]+/g, " ");
}

/** Parses an abort code, decimal or `0x` hex; undefined if it is not a u64. */
export function parseAbortCode(text: string): bigint | undefined {
  if (!/^(?:0x[0-9a-f]{1,16}|[0-9]{1,20})$/i.test(text)) return undefined;
  const code = BigInt(text);
  return code <= U64_MAX ? code : undefined;
}
