import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../loopback.ts";
import { type Binaries, serverUser } from "./binaries.ts";

/** A throw-away server on loopback; its user `postgres` may do everything and needs no password, others do need one. */
export type Server = {
  readonly port: number;
  /** The directory in which the server keeps everything; its user may write there. */
  readonly directory: string;
  readonly start: () => Promise<void>;
  /** Ends the server: connections are cut. `kill` is the end without any farewell, as in a power cut. */
  readonly stop: (how?: "fast" | "kill") => Promise<void>;
  /** Ends the server and removes what it kept. */
  readonly remove: () => Promise<void>;
};

/** Makes a cluster and starts its server. Settings are those of postgresql.conf. */
export async function startServer({ bin }: Binaries, settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), "movedex-postgres-"));
  chmodSync(directory, 0o755);
  if (serverUser.uid !== undefined) chownSync(directory, serverUser.uid, serverUser.uid);
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TMPDIR: tmpdir() };
  const data = join(directory, "data");
  const init = ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
  const made = spawnSync(join(bin, "initdb"), init, { ...serverUser, env, cwd: "/", encoding: "utf8" });
  if (made.status !== 0) {
    rmSync(directory, { recursive: true, force: true });
    throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
  }
  // The system's words for who may come in: postgresql.org/docs/current/auth-pg-hba-conf.html
  writeFileSync(join(data, "pg_hba.conf"), "local all all trust\nhost all postgres samehost trust\nhost all all samehost scram-sha-256\n");
  const port = await freePort();
  const fixed = {
    fsync: "off",
    full_page_writes: "off",
    // A database for each test means hundreds, and every one of them visited once a minute.
    autovacuum: "off",
    max_connections: "200",
    shared_buffers: "32MB",
    unix_socket_directories: directory,
    deadlock_timeout: "50ms",
    // As docs/postgresql.md says of programs that ask views: Debian's server compiles each question for seconds.
    jit: "off",
    ...settings,
  };
  const options = Object.entries(fixed).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const launch = () =>
    spawn(join(bin, "postgres"), ["-D", data, "-h", "127.0.0.1", "-p", String(port), ...options], {
      ...serverUser,
      env,
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
    });
  let running: ReturnType<typeof launch> | undefined;

  const start = async () => {
    const child = launch();
    running = child;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${log}`)));
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-10_000);
        if (log.includes("ready to accept connections")) resolve();
      });
    });
  };
  const stop = async (how: "fast" | "kill" = "fast") => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    // SIGQUIT ends all its processes at once and leaves the repair to the next start; SIGKILL would leave them behind.
    child.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  const remove = async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return { port, directory, start, stop, remove };
}
