import { setImmediate } from "node:timers/promises";
import { packageVersion } from "../../src/core/base/files.ts";
import { ManualClock, rawRequest } from "../support/index.ts";
import { holds, type Scene, useStages } from "./support/stage.ts";

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
      `/v1/accounts/${account}/module/pool?ledger_version=2592000`,
      "/v1/-/healthy",
    ),
    forms: text,
  },
  service: {
    held: "second",
    line: "serve --port 0 --no-pages",
    ...asked("/v1/-/healthy?duration_secs=60", "/v1/info", "/v1/snapshots", "/v1/snapshots/2592000"),
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
