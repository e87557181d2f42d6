import { Readable } from "node:stream";
import type { Clock } from "../../src/core/base/time.ts";
import { systemClock } from "../../src/core/base/time.ts";
import type { ProcessIo } from "../../src/core/cli/io.ts";
import { main } from "../../src/main.ts";
import { contractBreaches } from "./json/contract.ts";

/** What a command line came to. */
export type CliResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line on stdout as JSON: what `--json` promises. */
  readonly json: () => Record<string, unknown>;
};

/** Runs one movedex command line inside this process. */
export async function runCli(
  argv: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly clock?: Clock;
    /** The name of the machine. */
    readonly host?: string;
    /** What stands on stdin. */
    readonly stdin?: string | Uint8Array;
    /** Width of the terminal that stdout is; without it stdout is a pipe. */
    readonly terminal?: number | undefined;
    /** Called with what the command says, on stdout or stderr, as it says it. */
    readonly said?: (text: string) => void;
    /** Called with a function that delivers a signal to the command. */
    readonly signals?: (deliver: (signal: "SIGINT" | "SIGTERM") => void) => void;
  } = {},
): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const io: ProcessIo = {
    stdin: () => Readable.from([Buffer.from(options.stdin ?? "")]),
    stdout: async (text) => {
      stdout += text;
      options.said?.(text);
    },
    isReaderGone: () => false,
    stderr: (text) => {
      stderr += text;
      options.said?.(text);
    },
    env: options.env ?? {},
    clock: options.clock ?? systemClock,
    host: options.host ?? "here",
    stderrIsTerminal: false,
    isOnePlace: false,
    stdoutIsTerminal: options.terminal !== undefined,
    columns: options.terminal ?? 80,
    onStopSignal: (handler) => {
      options.signals?.(handler);
      return () => {};
    },
  };
  const code = await main(argv, io);
  const breaches = await contractBreaches(argv, stdout);
  if (breaches.length > 0) throw new Error(`the JSON of \`${argv[0]}\` breaks its schema:\n${breaches.slice(0, 20).join("\n")}`);
  return { code, stdout, stderr, json: () => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown> };
}
