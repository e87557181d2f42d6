import { printable } from "../../core/base/printable.ts";
import { ConfigError } from "../../core/errors.ts";
import { parseSubject, type Subject } from "../../core/questions/subject.ts";
import {
  type AbortMessage,
  type AbsentMessage,
  type FailureMessage,
  parseAbortCode,
  parseAbortMessages,
  parseAbsentMessage,
  parseFailureMessage,
} from "./abort-message.ts";
import { findVmStatus, findVmStatusIn, subStatusIn, type VmStatus } from "./vm-status.ts";

export type ExplainRequest =
  /** An abort code of a module. `name` is the error's name that a pasted message gave. */
  | { readonly kind: "code"; readonly subject: Subject; readonly code: bigint; readonly name?: string | undefined }
  | { readonly kind: "module"; readonly subject: Subject }
  /** A code whose module is not known; `isAbort` where a message says that it is one, perhaps of a script. */
  | { readonly kind: "number"; readonly code: bigint; readonly isAbort?: boolean; readonly isScript?: boolean }
  /** An error's name, in a module or anywhere. */
  | { readonly kind: "name"; readonly name: string; readonly subject: Subject | undefined }
  | { readonly kind: "status"; readonly status: VmStatus; readonly sub?: string | undefined }
  /** The VM stopped a function; `status` where the message says why. */
  | { readonly kind: "failure"; readonly found: FailureMessage; readonly status: VmStatus | undefined; readonly sub?: string | undefined }
  /** Something that a node or a tool did not find. */
  | { readonly kind: "absent"; readonly absent: AbsentMessage };

/** How modules name their errors: constants that begin with E. */
const ERROR_NAME = /^E[A-Z0-9_]+$/;

/** Reads what is to be explained: one error, or the aborts of a message that has several. @throws ConfigError where there is none */
export function parseExplainRequests(message: string): readonly ExplainRequest[] {
  const aborts = parseAbortMessages(message);
  return aborts.length > 1 ? aborts.map(abortRequest) : [parseOne(message.trim(), aborts[0])];
}

function parseOne(text: string, abort: AbortMessage | undefined): ExplainRequest {
  const [first = "", second, ...more] = text.split(/\s+/);
  if (second !== undefined && more.length === 0) {
    const code = /^(?:abort|code|error)/i.test(first) ? undefined : parseAbortCode(second);
    if (code !== undefined) return { kind: "code", subject: moduleSubject(first), code };
    // The other way round: `65542 0x1::coin@latest`.
    const before = parseAbortCode(first);
    if (before !== undefined && /^(?:0x[\da-f]+::)?[A-Za-z_]\w*(?:@\w+)?$/i.test(second))
      return { kind: "code", subject: moduleSubject(second), code: before };
    if (ERROR_NAME.test(second) && /^[\w:$@]+$/.test(first)) return { kind: "name", name: second, subject: moduleSubject(first) };
  }
  if (abort !== undefined) return abortRequest(abort);
  const word = second === undefined ? parseWord(first) : undefined;
  if (word !== undefined) return word;
  const status = findVmStatusIn(text);
  const found = parseFailureMessage(text);
  const sub = status && subStatusIn(text, status);
  if (found !== undefined) return { kind: "failure", found, status, sub };
  const absent = status?.name === "ABORTED" ? undefined : parseAbsentMessage(text);
  if (absent !== undefined) return { kind: "absent", absent };
  if (status !== undefined) return { kind: "status", status, sub };
  throw new ConfigError(
    `\`${printable(text, 300)}\` names no error. Give a module and an abort code (\`0x1::coin 0x10007\`), an error's name, ` +
      "a VM status such as `OUT_OF_GAS`, or the message that a node, a tool or a unit test printed.",
  );
}

function abortRequest({ code, module, name, isScript }: AbortMessage): ExplainRequest {
  if (module === undefined) return { kind: "number", code, isAbort: true, isScript: isScript === true };
  return { kind: "code", subject: { address: module.address, module: module.name }, code, name };
}

function parseWord(word: string): ExplainRequest | undefined {
  const code = parseAbortCode(word);
  if (code !== undefined) return { kind: "number", code };
  const status = findVmStatus(word);
  if (status !== undefined) return { kind: "status", status };
  if (ERROR_NAME.test(word)) return { kind: "name", name: word, subject: undefined };
  if (!/^[\w:$@]+$/.test(word)) return undefined;
  const { item, ...subject } = parseSubject(word);
  if (item === undefined) return { kind: "module", subject: moduleSubject(word) };
  return ERROR_NAME.test(item) ? { kind: "name", name: item, subject } : undefined;
}

function moduleSubject(text: string): Subject {
  // Of a function, the errors are its module's.
  const { item: _, ...subject } = parseSubject(text);
  if (subject.module !== undefined) return subject;
  throw new ConfigError(`\`${printable(text, 200)}\` is not a module. Give one such as \`0x1::coin\` or \`coin\` before the abort code.`);
}
