import { setImmediate } from "node:timers/promises";
import { packageVersion } from "../../src/core/base/files.ts";
import { ended, ManualClock, rawRequest } from "../support/index.ts";
import { holds, passQuietDays, type Scene, useStages } from "./support/stage.ts";

// What `serve` and `open` print, and what `serve` answers.

useStages();

const account = "0x8f3c51b6e0d24a7795ac1e8d3f60b2749d18e5c07ab34f6219c4d7e08b5a3f12";
const text = ["txt"];

/** A command that serves, which is asked for paths, one after the other, and then ended. What it answers stands below its output. */
function asked(...paths: readonly string[]): Pick<Scene, "options" | "after"> {
  let origin: string | undefined;
  let answers = "";
  const ask = async (): Promise<void> => {
    while (origin === undefined) await setImmediate();
    for (const path of paths) answers += await answerOf(origin, path);
  };
  return {
    options: () => {
      answers = "";
      origin = undefined;
      return {
        // Its work goes on by itself: a clock that skips waits would never let it rest.
        clock: new ManualClock({ startMs: Date.UTC(2026, 0, 5, 1) }),
        said: (words) => {
          origin ??= /http:\/\/127\.0\.0\.1:\d+/.exec(words)?.[0];
        },
        signals: (deliver) => void ask().then(() => deliver("SIGTERM")),
      };
    },
    after: () => answers,
  };
}

/** Headers of the connection, and the time of the machine. */
const ofConnection = new Set(["connection", "date", "keep-alive"]);

async function answerOf(origin: string, path: string): Promise<string> {
  const { status, headers, body } = await rawRequest(origin, { path, headers: { accept: "application/json" } });
  // Of a body that names the version, these change with it.
  const ofVersion = body.includes(packageVersion()) ? ["etag", "content-length"] : [];
  const lines = Object.entries(headers)
    .filter(([name]) => !ofConnection.has(name))
    .map(([name, value]) => [name, ofVersion.includes(name) ? `<${name}>` : value]);
  return `\n[GET ${path}]\n${status}\n${lines.map(([name, value]) => `${name}: ${value}\n`).join("")}\n${inLines(body.toString())}\n`;
}

/** JSON in lines, so that a difference is seen. */
function inLines(body: string): string {
  return body.startsWith("{") || body.startsWith("[") ? JSON.stringify(JSON.parse(body), undefined, 2) : body;
}

holds("serve", {
  // The pages start a thread, which takes most of the time: here alone.
  start: { held: "second", line: "serve --port 0", ...asked(), forms: text },
  "in-front": { held: "second", line: ({ node }) => `serve --port 0 --no-pages --upstream ${node.url}`, ...asked() },
  "log-requests": {
    held: "second",
    line: "serve --port 0 --no-pages --log-requests",
    ...asked("/v1/accounts/0x1", "/v1/accounts/0xfog"),
    forms: text,
  },
  node: {
    held: "second",
    line: "serve --port 0 --no-pages",
    ...asked(
      "/v1",
      `/v1/accounts/${account}`,
      "/v1/accounts/0x1?ledger_version=2592000",
      "/v1/accounts/0x1/modules?limit=2",
      "/v1/accounts/0x1/modules?limit=1&ledger_version=2592000",
      `/v1/accounts/${account}/module/pool?ledger_version=2592000`,
      "/v1/-/healthy",
    ),
    forms: text,
  },
  service: {
    held: "second",
    line: "serve --port 0 --no-pages",
    ...asked(
      "/v1/-/healthy?duration_secs=60",
      "/v1/info",
      "/v1/snapshots",
      "/v1/snapshots?limit=1",
      "/v1/snapshots?limit=1&before=3456004",
      "/v1/snapshots?before=18446744073709551615",
      "/v1/snapshots/2592000",
    ),
    forms: text,
  },
  // Before anything is sealed nothing pretends to be a ledger.
  empty: {
    held: "targets",
    line: "serve --port 0 --no-pages",
    ...asked(
      "/v1",
      "/v1/-/healthy",
      "/v1/accounts/0x1",
      "/v1/accounts/0x1/modules",
      "/v1/accounts/0x1/module/coin",
      "/v1/accounts/zz",
      "/v1/snapshots",
    ),
    forms: text,
  },
  // An account that the newest snapshot did not read is answered as last read, unless that version is asked for.
  "read-in-part": {
    held: "second",
    before: async (stage) => {
      await passQuietDays(stage);
      await ended(stage.run("sync --account 0x1 --concurrency 1"));
    },
    line: "serve --port 0 --no-pages",
    ...asked(
      "/v1",
      "/v1/accounts/0x1/module/signer",
      `/v1/accounts/${account}/module/curve`,
      `/v1/accounts/${account}`,
      `/v1/accounts/${account}/module/curve?ledger_version=4320004`,
    ),
    forms: text,
  },
  // An account that the node denied is denied, and one that was not read is not.
  denied: {
    held: "targets",
    node: () => ({ statelessAccounts: false }),
    before: ({ run }) => ended(run("sync --concurrency 1")),
    line: "serve --port 0 --no-pages",
    ...asked("/v1/accounts/0xdead", "/v1/accounts/0xcafe"),
    forms: text,
  },
  errors: {
    held: "second",
    line: "serve --port 0 --no-pages",
    ...asked(
      "/v1/accounts/0x1?ledger_version=3000000",
      "/v1/accounts/0x1?ledger_version=1000000",
      "/v1/accounts/0x1?ledger_version=9000000",
      "/v1/accounts/0xcafe",
      `/v1/accounts/${account}/module/orders?ledger_version=2592000`,
      "/v1/accounts/0xfog",
      "/v1/transactions",
      "/v1/snapshots?limit=0",
      "/v1/snapshots?limit=x",
      "/v1/snapshots?before=x",
      "/v1/snapshots/18446744073709551615",
      "/v1/snapshots/",
      "/v1/snapshots/2592000/x",
    ),
    forms: text,
  },
  "no-database": { line: "serve --port 0", forms: text },
});

holds("open", {
  start: { held: "second", line: "open", ...withBrowser("none"), forms: text },
  "no-database": { line: "open", forms: text },
});

function withBrowser(name: string): Pick<Scene, "options"> {
  const { options } = asked();
  return { options: () => ({ ...(typeof options === "function" ? options() : options), env: { BROWSER: name } }) };
}
