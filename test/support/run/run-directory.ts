import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const PREFIX = "movedex-run-";
/** How long a process may take to end by itself before it is killed. */
const GRACE_MS = 2_000;

/**
 * A temporary directory for all that a run of the tests writes and starts: to be TMPDIR of its processes. A test that fails, or is
 * killed, leaves files, servers and services behind; they name the directory in their arguments or their environment, so
 * that the end of the run finds them. What a run left that was killed itself, the next one ends.
 */
export async function openRunDirectory(base: string): Promise<AsyncDisposable & { readonly path: string }> {
  await sweepRuns(base);
  const path = join(base, `${PREFIX}${process.pid}`);
  mkdirSync(path, { recursive: true });
  // As /tmp itself: some tests run a program as another user.
  chmodSync(path, 0o1777);
  return { path, [Symbol.asyncDispose]: () => endRun(path) };
}

/** The file system in memory, where it has 4 GiB for a run and lets programs be started; else the directory of all. */
export function roomyDirectory(memory = "/dev/shm"): string {
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8") : "";
  const [, options = "noexec"] = new RegExp(`^\\S+ ${memory} \\S+ (\\S+)`, "m").exec(mounts) ?? [];
  if (options.split(",").includes("noexec")) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4 * 1024 ** 3 ? memory : tmpdir();
}

/** Ends what runs left whose own process is gone. */
async function sweepRuns(base: string): Promise<void> {
  for (const name of readdirSync(base)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid)) await endRun(join(base, name));
  }
}

async function endRun(path: string): Promise<void> {
  const left = processesOf(path);
  // On SIGQUIT a PostgreSQL server ends at once and removes its processes and shared memory. A stopped process must be continued first.
  for (const pid of left) for (const name of ["SIGQUIT", "SIGCONT"] as const) signal(pid, name);
  for (let waited = 0; waited < GRACE_MS && left.some(isAlive); waited += 50) await delay(50);
  for (const pid of processesOf(path)) signal(pid, "SIGKILL");
  for (const place of mountsBelow(path)) execFileSync("umount", ["-l", place]);
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** File systems that a test mounted, and had no time to take away: nothing can remove their directories. */
function mountsBelow(path: string): string[] {
  if (!existsSync("/proc/mounts")) return [];
  const places = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  return places.filter((place) => place.startsWith(`${path}/`));
}

/** The processes that name a directory in their arguments or their environment; none where there is no /proc. */
function processesOf(path: string): number[] {
  // Each text of both ends with a zero byte, and a path goes on with a slash.
  const isNamed = (text: string): boolean => text.includes(`${path}/`) || text.includes(`${path}\0`);
  const texts = (pid: number): string => {
    try {
      return `${readFileSync(`/proc/${pid}/cmdline`, "latin1")}\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
    } catch {
      return "";
    }
  };
  let pids: number[];
  try {
    pids = readdirSync("/proc").map(Number).filter(Number.isSafeInteger);
  } catch {
    return [];
  }
  return pids.filter((pid) => pid !== process.pid && isNamed(texts(pid)));
}

function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

/** Whether there is such a process, or was when the signal was sent. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
