import { spawn } from "node:child_process";
import { codeFile, packageVersion, systemReason } from "../../core/base/files.ts";
import { plainLog } from "../../core/base/log.ts";
import { printable } from "../../core/base/printable.ts";
import type { Io } from "../../core/cli/io.ts";
import { type PagesOptions, servedPages } from "../pages/served-pages.ts";
import { openServedArchive } from "../serve/operations/served-archive.ts";
import type { PagesMaker } from "../serve/operations/service.ts";
import { untilStopped } from "../serve/run.ts";
import { serve } from "../serve/serve.ts";

export type OpenFlags = { readonly db: string; readonly port: number };

/** Runs `open` until a stop signal comes. @throws StoreError, ConfigError when it cannot listen */
export async function runOpen(io: Io, flags: OpenFlags): Promise<void> {
  const running = await serve({
    openArchive: () => openServedArchive(flags.db),
    address: { host: "127.0.0.1", port: flags.port },
    metrics: "off",
    between: "exact",
    generation: "D",
    pages: pagesPlugin(flags.db),
    version: packageVersion(),
    clock: io.clock,
    log: plainLog(io.stderr),
  });
  const stopped = untilStopped(io);
  const url = `${running.origin}/`;
  await io.stdout(`${url}\n`);
  const problem = await openBrowser(url, io.env);
  if (problem !== undefined) io.stderr(`movedex: no browser was opened (${problem}); open the address above.\n`);
  await stopped;
  await running.close();
}

/**
 * Programs that open an address in the browser. Windows' `start` belongs to its shell; our address has no character that the shell would
 * interpret.
 */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] };

/**
 * Opens an address in the browser that `BROWSER` names, else in the system's own, and does not wait for it.
 * @returns why it could not be started; undefined when it was
 */
function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const named = env["BROWSER"];
  const [program = "xdg-open", ...args] = named ? [named] : (openers[process.platform] ?? []);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", (error) => resolve(`\`${printable(program, 200)}\`: ${systemReason(error)}`));
    child.once("spawn", () => {
      child.unref();
      resolve(undefined);
    });
  });
}

/** What makes the pages, on a thread of its own. */
export const thread = codeFile("src/capabilities/explorer/thread.ts", "dist/pages.js");

/** The pages of an archive, to be registered beside the API. */
export function pagesPlugin(path: string, options?: PagesOptions): PagesMaker {
  return servedPages(path, thread, options);
}
