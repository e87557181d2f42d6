import { expect } from "vitest";

/** What may stand in `asWords`: one word, or several. */
type Value = string | number | bigint | readonly string[];

/**
 * The words of a command line or a list, parted by white space: asWords`sync --db ${db} ${more}`. A value that stands alone is a word as it
 * is, spaces included, and a list is as many words as it has; a value beside other letters is part of their word. A backslash is a letter
 * like any other: it escapes nothing.
 */
export function asWords({ raw: texts }: TemplateStringsArray, ...values: readonly Value[]): string[] {
  const found: string[] = [];
  let isOpen = false;
  const add = (word: string): void => {
    if (isOpen) found.push(`${found.pop()}${word}`);
    else found.push(word);
    isOpen = true;
  };
  for (const [i, text] of texts.entries()) {
    for (const part of text.split(/(\s+)/)) {
      if (/^\s+$/.test(part)) isOpen = false;
      else if (part !== "") add(part);
    }
    const value = values[i];
    if (Array.isArray(value)) found.push(...(value as readonly string[]));
    else if (value !== undefined) add(`${value as string | number | bigint}`);
  }
  return found;
}

/** What a command line or a process came to. */
type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Waits for a command that has to end with an exit code, and says what it printed where it ends with another. */
export async function ended<R extends Outcome>(running: R | Promise<R>, code = 0): Promise<R> {
  const result = await running;
  expect(result.code, `${result.stderr}${result.stdout}`).toBe(code);
  return result;
}

/** Values of JSON, one a line. */
export function jsonLines<Value = Record<string, unknown>>(text: string): Value[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Value);
}

type Signal = "SIGINT" | "SIGTERM";

/** `signals` goes to `runCli`; `send` then delivers a signal to that command, when it has begun. */
export function signalSender(): { readonly signals: (deliver: (signal: Signal) => void) => void; readonly send: (signal: Signal) => void } {
  const listeners: ((signal: Signal) => void)[] = [];
  return {
    signals: (deliver) => {
      listeners.push(deliver);
    },
    send: (signal) => {
      for (const deliver of listeners) deliver(signal);
    },
  };
}
