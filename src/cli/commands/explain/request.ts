import { type AbortMessage, parseAbortCode, parseAbortMessage } from "../../../abi/abort/status.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import { parseSubject, type Subject } from "../../options/subject.ts";

/** What is to be explained: a code of a module, all codes of a module, or a code whose module nobody named. */
export type ExplainRequest = {
  readonly subject: Subject | undefined;
  readonly code: bigint | undefined;
  /** The error's name that a pasted message gave. */
  readonly name?: string;
};

/** Reads the words behind `explain`. @throws ConfigError when they name neither a module nor a code */
export function parseExplainRequest(words: readonly string[]): ExplainRequest {
  const [first = "", second] = words;
  if (words.length === 2 && second !== undefined) {
    const code = parseAbortCode(second);
    if (code !== undefined) return { subject: moduleSubject(first), code };
  }
  const message = parseAbortMessage(words.join(" "));
  if (message !== undefined) return fromMessage(message);
  if (words.length === 1) {
    const code = parseAbortCode(first);
    if (code !== undefined) return { subject: undefined, code };
    if (/^[\w:$@]+$/.test(first)) return { subject: moduleSubject(first), code: undefined };
  }
  throw new ConfigError(
    `wanted a module and an abort code, such as \`0x1::coin 0x10007\`, or what a node said of an abort; found \`${printable(words.join(" "), 300)}\`.`,
  );
}

function fromMessage({ code, module, name }: AbortMessage): ExplainRequest {
  return {
    subject: module === undefined ? undefined : { address: module.address, module: module.name },
    code,
    ...(name === undefined ? {} : { name }),
  };
}

function moduleSubject(text: string): Subject {
  const subject = parseSubject(text);
  if (subject.module !== undefined && subject.item === undefined) return subject;
  throw new ConfigError(`wanted a module, such as \`0x1::coin\` or \`coin\`, before the abort code; found \`${printable(text, 200)}\`.`);
}
