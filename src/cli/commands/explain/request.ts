import { parseAbortCode, parseAbortMessage } from "../../../abi/abort/status.ts";
import { findVmStatus, findVmStatusIn, type VmStatus } from "../../../abi/vm-status/vm-status.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import { parseSubject, type Subject } from "../../../questions/subject.ts";

/** What is to be explained. */
export type ExplainRequest =
  /** An abort code of a module. `name` is the error's name that a pasted message gave. */
  | { readonly kind: "code"; readonly subject: Subject; readonly code: bigint; readonly name?: string }
  /** All codes of a module. */
  | { readonly kind: "module"; readonly subject: Subject }
  /** A code whose module is not known. */
  | { readonly kind: "number"; readonly code: bigint }
  /** An error's name, in a module or anywhere. */
  | { readonly kind: "name"; readonly name: string; readonly subject: Subject | undefined }
  /** A status of the VM. */
  | { readonly kind: "status"; readonly status: VmStatus }
  /** The VM stopped a function, and the message does not say why. */
  | { readonly kind: "failure"; readonly place: string };

/** How modules name their errors: constants that begin with E. */
const ERROR_NAME = /^E[A-Z0-9_]+$/;

/** Source: `explain_vm_status` in aptos-core `api/types/src/convert.rs`. */
const FAILURE = /\bExecution failed in (\S{1,300}) at code offset (\d{1,5})/;

/** Reads the words behind `explain`. @throws ConfigError when they say nothing that can be explained */
export function parseExplainRequest(words: readonly string[]): ExplainRequest {
  const text = words.join(" ").trim();
  const parts = text.split(/\s+/);
  const [first = "", second] = parts;
  if (parts.length === 2 && second !== undefined) {
    const code = parseAbortCode(second);
    if (code !== undefined) return { kind: "code", subject: moduleSubject(first), code };
    if (ERROR_NAME.test(second) && /^[\w:$@]+$/.test(first)) return { kind: "name", name: second, subject: moduleSubject(first) };
  }
  const message = parseAbortMessage(text);
  if (message !== undefined) {
    const { code, module, name } = message;
    if (module === undefined) return { kind: "number", code };
    return { kind: "code", subject: { address: module.address, module: module.name }, code, ...(name === undefined ? {} : { name }) };
  }
  if (parts.length === 1) {
    const request = parseWord(first);
    if (request !== undefined) return request;
  }
  const status = findVmStatusIn(text);
  if (status !== undefined) return { kind: "status", status };
  const failure = FAILURE.exec(text);
  if (failure !== null) return { kind: "failure", place: `${failure[1]} at code offset ${failure[2]}` };
  throw new ConfigError(
    "wanted a module and an abort code, such as `0x1::coin 0x10007`, an error's name, a status of the VM such as `OUT_OF_GAS`, or what a node, " +
      `a tool or a unit test printed; found \`${printable(text, 300)}\`.`,
  );
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
  const subject = parseSubject(text);
  if (subject.module !== undefined && subject.item === undefined) return subject;
  throw new ConfigError(`wanted a module, such as \`0x1::coin\` or \`coin\`, before the abort code; found \`${printable(text, 200)}\`.`);
}
