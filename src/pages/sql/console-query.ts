import { once } from "node:events";
import { printable } from "../../base/printable.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { type Query, queryBounds, startQuery, wantedMemory } from "../../questions/query-process.ts";
import { ConcurrencyLimit } from "../../serve/http/concurrency-limit.ts";

/** What one question of the console may take: time, rows of a page and of a file, bytes of its answer. */
export const consoleLimits = { timeMs: 10_000, pageRows: 1000, fileRows: 100_000, bytes: 16 * 1024 * 1024 } as const;

/** Questions that are answered at once, and that wait: they have places of their own, so that none keeps the API or a page waiting. */
const turns = new ConcurrencyLimit(1, 8);

/** An answer's text, whether there were more rows than wanted, and how long it took; or why there is none. */
export type ConsoleAnswer = { readonly text: string; readonly hasMore: boolean; readonly ms: number } | { readonly problem: string };

/** Asks in a process of its own, within the console's limits. Never rejects because of what was asked. */
export async function askConsole(query: Omit<Query, "width">, signal: AbortSignal): Promise<ConsoleAnswer> {
  const answer = await turns.run(() => ask({ ...query, width: null, timeoutMs: consoleLimits.timeMs }, signal));
  return answer ?? { problem: "Other questions are being answered, and enough wait already. Try again in a few seconds." };
}

async function ask(query: Query, signal: AbortSignal): Promise<ConsoleAnswer> {
  if (signal.aborted) return { problem: "The connection was closed." };
  const begun = performance.now();
  const worker = startQuery(query, queryBounds.console);
  const closed = once(worker, "close") as Promise<[number | null, string | null]>;
  let stop: string | undefined;
  const end = (why: string): void => {
    stop ??= why;
    worker.kill("SIGKILL");
  };
  const clock = setTimeout(
    () => end(`It took longer than ${formatDuration(consoleLimits.timeMs)} and was stopped. Narrow it, or ask with \`movedex query\`.`),
    consoleLimits.timeMs,
  );
  const leave = (): void => end("The connection was closed.");
  signal.addEventListener("abort", leave);
  const chunks: Buffer[] = [];
  let bytes = 0;
  worker.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > consoleLimits.bytes)
      end(`The answer is larger than ${consoleLimits.bytes / 1024 / 1024} MiB. Ask for fewer rows or columns.`);
    else chunks.push(chunk);
  });
  let stderr = "";
  worker.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (stderr.length < 10_000) stderr += text;
  });
  worker.on("error", () => undefined);
  try {
    const [code] = await closed;
    if (stop !== undefined) return { problem: stop };
    if (code !== 0) return { problem: problemIn(stderr) };
    return { text: Buffer.concat(chunks).toString("utf8"), hasMore: stderr.includes("there are more"), ms: performance.now() - begun };
  } finally {
    clearTimeout(clock);
    signal.removeEventListener("abort", leave);
  }
}

/** What the process said of its failure; where the system ended it for want of memory, it said something else or nothing. */
function problemIn(stderr: string): string {
  if (wantedMemory(stderr))
    return "It needed more memory than one question of the console may take. Narrow it, or ask with `movedex query`.";
  const line = stderr.split("\n").find((text) => text.startsWith("movedex: ")) ?? "";
  return printable(line.slice("movedex: ".length), 1500);
}
