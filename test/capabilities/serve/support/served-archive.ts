import { existsSync } from "node:fs";
import { Agent } from "node:http";
import type { ServeLimits } from "../../../../src/capabilities/serve/http/bounds.ts";
import { openServedArchive } from "../../../../src/capabilities/serve/operations/served-archive.ts";
import { type ServeOptions, serve } from "../../../../src/capabilities/serve/serve.ts";
import { silentLog } from "../../../../src/core/base/log.ts";
import { systemClock } from "../../../../src/core/base/time.ts";
import { isLongRun } from "../../../run-size.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { type RawResponse, rawRequest } from "../../../support/raw-request.ts";
import { runCli } from "../../../support/run-cli.ts";
import { quickArchive } from "../../../support/store/temporary-store.ts";

/** What a test may set of how an archive is served. */
export type Settings = Partial<
  Pick<
    ServeOptions,
    "between" | "generation" | "upstream" | "pages" | "log" | "onRequest" | "clock" | "address" | "metrics" | "trustProxy" | "clientRate"
  >
> & {
  readonly limits?: Partial<ServeLimits>;
};

/** An archive that is served on 127.0.0.1 until the end of its scope. */
export type ServedTest = AsyncDisposable & {
  readonly origin: string;
  readonly url: string;
  readonly metricsOrigin: string | undefined;
  readonly gauges: () => Readonly<Record<string, number>>;
};

/** Serves a database on a socket. */
export async function serveDatabase(path: string, settings: Settings = {}): Promise<ServedTest> {
  const running = await serve({
    address: { host: "127.0.0.1", port: 0 },
    between: "exact",
    generation: "D",
    version: "0.0.0",
    clock: systemClock,
    log: silentLog,
    ...settings,
    openArchive: () => openServedArchive(path),
  });
  return {
    origin: running.origin,
    url: `${running.origin}/v1`,
    metricsOrigin: running.metricsOrigin,
    gauges: running.gauges,
    [Symbol.asyncDispose]: () => running.close(),
  };
}

/** One request on a kept connection; the target is sent as it is, however malformed. */
export type Ask = (
  target: string,
  options?: { readonly method?: string; readonly headers?: Record<string, string> },
) => Promise<RawResponse>;

/** A database's answers over one connection, until the end of its scope. */
export async function askDatabase(path: string, settings: Settings = {}): Promise<AsyncDisposable & { readonly ask: Ask }> {
  const served = await serveDatabase(path, settings);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ask: (target, options = {}) => rawRequest(served.origin, { ...options, agent, path: target }),
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      await served[Symbol.asyncDispose]();
    },
  };
}

/** Crawls accounts at a version (the newest when none is given) into a database. */
export async function crawl(
  db: string,
  url: string,
  accounts: readonly string[],
  options: { readonly version?: bigint; readonly more?: readonly string[] } = {},
): Promise<Record<string, unknown>> {
  // The long run asks servers, and pages and SQL of all views.
  if (!isLongRun && !existsSync(db)) await quickArchive(db);
  const what = accounts.flatMap((address) => ["--account", address]);
  const at = options.version === undefined ? [] : ["--ledger-version", `${options.version}`];
  const args = ["sync", "--rpc", url, "--db", db, "--rate", "0", "--json", ...what, ...at, ...(options.more ?? [])];
  const { json, stdout, stderr } = await runCli(args, { clock: new ManualClock({ skipSleeps: true }) });
  if (stdout === "") throw new Error(stderr);
  return json();
}

/** The text of a response's body. */
export function textOf({ body }: { readonly body: Uint8Array }): string {
  return Buffer.from(body).toString("utf8");
}

/** A response's body as JSON. */
export function jsonOf(response: { readonly body: Uint8Array }): Record<string, unknown> {
  return JSON.parse(textOf(response)) as Record<string, unknown>;
}
