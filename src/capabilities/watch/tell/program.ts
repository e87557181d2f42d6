import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { systemReason } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { SECRET_VARIABLES } from "../../../core/cli/config.ts";
import { jsonBody } from "./bodies.ts";
import { type Channel, type Notice, type TellOutcome, TOLD } from "./channel.ts";

const LIMIT_MS = 60_000;

/** Variables that a program is given: the message's identifier, and whether an earlier try may have arrived. */
const [DELIVERY_ID, MAYBE_REPEATED] = ["MOVEDEX_DELIVERY_ID", "MOVEDEX_MAYBE_REPEATED"];

/** Variables that a program is not given: addresses and keys of ours, and those in which a settings file says that such are. */
const SECRET = /^(DATABASE_URL|PGPASSWORD|MOVEDEX_.*)$/;

/**
 * A program that is run with what waits: without a shell, with the message as JSON on its input. It has taken the message when it
 * ends with 0. What it prints is thrown away. @param words the program and its arguments
 */
export function programChannel(
  words: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  limitMs = LIMIT_MS,
): Channel {
  const address = sha256Hex(JSON.stringify(words)).slice(0, 8);
  const name = `program ${printable(basename(words[0]), 100)} (${address})`;
  const named = new Set([SECRET_VARIABLES, ...(env[SECRET_VARIABLES] ?? "").split(",")]);
  const passed = Object.fromEntries(Object.entries(env).filter(([key]) => !SECRET.test(key) && !named.has(key)));
  return { channel: name, address, level: "any", isApart: false, tell: (notice) => run(words, passed, notice, limitMs) };
}

async function run(
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  notice: Notice,
  limitMs: number,
): Promise<TellOutcome> {
  const child = spawn(program, args, {
    shell: false,
    // A group of its own, so that what it started ends with it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...env, [DELIVERY_ID]: notice.id, [MAYBE_REPEATED]: notice.isUncertain ? "1" : "0" },
  });
  const ended = once(child, "close");
  // It may end without reading; without free file descriptors it is not started, and there is no stdin.
  child.stdin?.on("error", () => {});
  child.stdin?.end(`${jsonBody(notice)}\n`);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, limitMs);
  const failed = (fault: string, isOfPlace = false): TellOutcome => ({ isTold: false, fault, isOfPlace });
  try {
    const [code, signal]: readonly (number | string | null)[] = await ended;
    if (isLate) return failed(`it did not end within ${limitMs / 1000} s`);
    if (code === 0) return TOLD;
    return failed(code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`);
  } catch (error) {
    return failed(`it could not be started: ${systemReason(error)}`, true);
  } finally {
    clearTimeout(timer);
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
