import {
  type AbortMessage,
  type AbsentMessage,
  type CodelessAbort,
  type FailureMessage,
  parseAbortCode,
  parseAbortMessages,
  parseAbsentMessage,
  parseCodelessAbort,
  parseFailureMessage,
} from "../../../abi/abort/status.ts";
import { findVmStatus, findVmStatusIn, subStatusIn, type VmStatus } from "../../../abi/vm-status/vm-status.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import { parseSubject, type Subject } from "../../../questions/subject.ts";

export type ExplainRequest =
  /** An abort code of a module. `name` is the error's name that a pasted message gave. */
  | { readonly kind: "code"; readonly subject: Subject; readonly code: bigint; readonly name?: string }
  | { readonly kind: "module"; readonly subject: Subject }
  /** A code whose module is not known; `isAbort` where a message says that it is one, perhaps of a script. */
  | { readonly kind: "number"; readonly code: bigint; readonly isAbort?: boolean; readonly isScript?: boolean }
  /** An error's name, in a module or anywhere. */
  | { readonly kind: "name"; readonly name: string; readonly subject: Subject | undefined }
  /** A status of the VM; of an abort whose code the message lacks, who aborted. */
  | { readonly kind: "status"; readonly status: VmStatus; readonly abort?: CodelessAbort; readonly sub?: string | undefined }
  /** The VM stopped a function; `status` where the message says why. */
  | { readonly kind: "failure"; readonly found: FailureMessage; readonly status: VmStatus | undefined; readonly sub?: string | undefined }
  /** Something that a node or a tool did not find. */
  | { readonly kind: "absent"; readonly absent: AbsentMessage }
  /** A transaction that did not fail. */
  | { readonly kind: "success"; readonly words: string }
  /** The node keeps to itself why. */
  | { readonly kind: "withheld" };

/** How modules name their errors: constants that begin with E. */
const ERROR_NAME = /^E[A-Z0-9_]+$/;

/** Reads what is to be explained: one error, or the aborts of a message that has several. @throws ConfigError where there is none */
export function parseExplainRequests(words: readonly string[]): readonly [ExplainRequest, ...ExplainRequest[]] {
  const aborts = parseAbortMessages(words.join(" "));
  const [first, ...more] = aborts.length > 1 ? aborts.map(abortRequest) : [];
  return first === undefined ? [parseExplainRequest(words)] : [first, ...more];
}

function abortRequest({ code, module, name, isScript }: AbortMessage): ExplainRequest {
  if (module === undefined) return { kind: "number", code, isAbort: true, isScript: isScript === true };
  return { kind: "code", subject: { address: module.address, module: module.name }, code, ...(name === undefined ? {} : { name }) };
}

function parseExplainRequest(words: readonly string[]): ExplainRequest {
  const text = words.join(" ").trim();
  const parts = text.split(/\s+/);
  const [first = "", second] = parts;
  if (parts.length === 2 && second !== undefined) {
    const code = /^(?:abort|code|error)/i.test(first) ? undefined : parseAbortCode(second);
    if (code !== undefined) return { kind: "code", subject: moduleSubject(first), code };
    // The other way round: `65542 0x1::coin`.
    const before = parseAbortCode(first);
    if (before !== undefined && /^[A-Za-z_]\w*$/.test(second)) return { kind: "code", subject: moduleSubject(second), code: before };
    if (ERROR_NAME.test(second) && /^[\w:$@]+$/.test(first)) return { kind: "name", name: second, subject: moduleSubject(first) };
  }
  const [message] = parseAbortMessages(text);
  if (message !== undefined) return abortRequest(message);
  if (parts.length === 1) {
    const request = parseWord(first);
    if (request !== undefined) return request;
  }
  const status = findVmStatusIn(text);
  const found = parseFailureMessage(text);
  const sub = status && subStatusIn(text, status);
  if (found !== undefined) return { kind: "failure", found, status, sub };
  if (status?.name === "ABORTED") {
    const abort = parseCodelessAbort(text);
    return abort.name === undefined ? { kind: "status", status, abort } : { kind: "name", name: abort.name, subject: undefined };
  }
  const absent = parseAbsentMessage(text);
  if (absent !== undefined) return { kind: "absent", absent };
  if (status !== undefined) return { kind: "status", status, sub };
  if (/^Executed successfully\.?$/i.test(text)) return { kind: "success", words: text };
  if (/\bMISCELLANEOUS[_ ]ERROR\b/i.test(text)) return { kind: "withheld" };
  throw new ConfigError(
    `\`${printable(text, 300)}\` names no error. Give a module and an abort code (\`0x1::coin 0x10007\`), an error's name, ` +
      "a VM status such as `OUT_OF_GAS`, or the message that a node, a tool or a unit test printed.",
  );
}

function parseWord(word: string): ExplainRequest | undefined {
  const code = parseAbortCode(word);
  if (code !== undefined) return { kind: "number", code };
  if (/^MISCELLANEOUS_ERROR$/i.test(word)) return { kind: "withheld" };
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
