import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { findBinaries } from "../support/postgres/binaries.ts";
import { type Server, startServer } from "../support/postgres/server.ts";

/** The cost of a whole process: wall time, processor time of all threads, peak memory (VmHWM), and its output. */
export type Cost = { readonly ms: number; readonly cpuMs: number; readonly peakMb: number; readonly stdout: string };

/** A tick of the kernel's clock in milliseconds, the same on every Linux. */
export const TICK_MS = 10;

/** What the kernel says of a process, from field 3 on: those behind the program's name, which may hold anything. */
export function processFields(pid: number | string): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
}

/** Processor time of a process so far, in steps of 10 ms. Source: proc_pid_stat(5), fields 14 and 15. */
export function processorMs(pid: number): number {
  const fields = processFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The one in the middle. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** The command line, as a program to measure. */
export const launcher = fileURLToPath(new URL("../../bin/movedex.mjs", import.meta.url));

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The same as users have it, put into an empty folder: JavaScript, built from this checkout, and no sources beside it. */
export function packedLauncher(folder: string): string {
  execFileSync(process.execPath, [join(repository, "scripts/build.ts"), "--out", join(folder, "dist")], { cwd: repository });
  for (const part of ["bin", "migrations", "package.json"]) cpSync(join(repository, part), join(folder, part), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  return join(folder, "bin/movedex.mjs");
}

/** Runs a program on this Node to its end. Throws when it ends with anything but 0. */
export async function measureProcess(...args: readonly string[]): Promise<Cost> {
  const { code, ...cost } = await runProcess(args);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${cost.stdout}`);
  return cost;
}

/** How a program is run: its time, after which it is ended; its talk thrown away. */
export type RunOptions = { readonly limitMs?: number; readonly isQuiet?: boolean };

/** Runs a program on this Node to its end, or to that of its time: the exit code is null then. */
export async function runProcess(
  args: readonly string[],
  { limitMs, isQuiet = false }: RunOptions = {},
): Promise<Cost & { readonly code: number | null }> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", isQuiet ? "ignore" : "inherit"] });
  const overdue = limitMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), limitMs);
  const said = text(child.stdout);
  let peakMb = 0;
  let cpuMs = 0;
  const look = setInterval(() => {
    try {
      const kb = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      peakMb = Math.max(peakMb, Number(kb ?? 0) / 1000);
      cpuMs = Math.max(cpuMs, processorMs(child.pid as number));
    } catch {
      // It has ended since.
    }
  }, 20);
  const [code] = (await once(child, "close")) as [number | null];
  const ms = performance.now() - begun;
  clearInterval(look);
  clearTimeout(overdue);
  return { ms, cpuMs, peakMb, stdout: await said, code };
}

/** Where and when a measurement was made: date, processor, Node, load before the start. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(2)}`;
}

/** A PostgreSQL 18 of the bench's own, with the server's defaults but for these settings. */
export async function benchServer(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const binaries = findBinaries(18);
  if (typeof binaries === "string") throw new Error(binaries);
  return startServer(binaries, { shared_buffers: "128MB", ...settings });
}

/**
 * Processor time that a PostgreSQL server has used since its start, in milliseconds: the postmaster's, that of the processes that it
 * has, and of those that it had. Source: proc_pid_stat(5), fields 14 to 17.
 */
export function serverCpuMs({ directory }: Server): number {
  const postmaster = readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0];
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let fields: readonly string[];
    try {
      fields = processFields(pid);
    } catch {
      continue;
    }
    if (pid !== postmaster && fields[1] !== postmaster) continue;
    ticks += Number(fields[11]) + Number(fields[12]) + (pid === postmaster ? Number(fields[13]) + Number(fields[14]) : 0);
  }
  return ticks * TICK_MS;
}
