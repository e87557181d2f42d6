import { spawn } from "node:child_process";
import { printable } from "../../../base/printable.ts";

/** The programs that hand an address to the system's browser. Windows' `start` is a word of its shell; the address is ours and holds nothing that it would read. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] };

/**
 * Opens an address in the browser that `BROWSER` names, else in the system's own, and does not wait for it.
 *
 * @returns why it could not be started; undefined when it was
 */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const named = env["BROWSER"];
  const [program = "xdg-open", ...args] = named ? [named] : (openers[process.platform] ?? []);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", (error: NodeJS.ErrnoException) => resolve(`\`${printable(program, 200)}\`: ${error.code ?? error.message}`));
    child.once("spawn", () => {
      child.unref();
      resolve(undefined);
    });
  });
}
