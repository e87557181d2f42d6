import { readFileSync } from "node:fs";
import { packageVersion } from "../../src/core/base/files.ts";
import { systemClock } from "../../src/core/base/time.ts";
import { sqliteVersion } from "../../src/core/db/engine/sqlite/open-file.ts";
import { ended } from "../support/index.ts";
import { holds, useStages } from "./support/stage.ts";

// What commands print by which somebody begins.

useStages();

const text = ["txt"];
const settings = (): string => `[movedex.toml]\n${readFileSync("movedex.toml", "utf8")}`;

holds("init", {
  settings: { line: "init", after: settings, forms: text },
  networks: { line: "init - --network movement-mainnet movement-testnet", forms: text },
  "not-over-another": { before: ({ run }) => run("init"), line: "init", forms: text },
  cron: { line: "init units --for cron --network movement-mainnet", after: () => readFileSync("units/crontab", "utf8"), forms: text },
});

// A query is asked by a process of its own, which skips no time.
const options = { clock: systemClock };

holds("demo", {
  demo: { line: "demo", options, forms: text },
  // The node of the stage stands for a service that watches nights, which is told nothing, and for a proxy.
  again: {
    before: ({ run, node }) => ended(run("demo", { ...options, env: { MOVEDEX_PING_URL: node.url, HTTP_PROXY: node.url } })),
    line: "demo",
    options,
    after: ({ node }) => `[pings]\n${node.requestCount}\n`,
    forms: text,
  },
});

holds("completions", {
  bash: { line: "completions bash", forms: text },
  zsh: { line: "completions zsh", forms: text },
  fish: { line: "completions fish", forms: text },
  unknown: { line: "completions tcsh", forms: text },
});

// What stands there for a shell that completes a command line.
holds("complete", {
  "a-command": { line: "complete -- di", forms: text },
  "a-command-below": { line: 'complete -- targets ""', forms: text },
  "a-value-of-an-option": { line: 'complete -- diff previous latest --format ""', forms: text },
  "a-value-of-a-letter": { line: "complete -- diff -f j", forms: text },
  "an-option": { line: "complete -- targets discover --d", forms: text },
  "an-option-of-another": { line: "complete -- targets list --d", forms: text },
  "a-recipe-to-ask": { line: 'complete -- query --cookbook ""', forms: text },
  "a-recipe": { line: "complete -- cookbook who-", forms: text },
  "a-view": { line: "complete -- schema functions_", forms: text },
  "a-shell": { line: 'complete -- completions ""', forms: text },
  "a-file": { line: 'complete -- check ""', forms: text },
  "a-file-of-an-option": { line: 'complete -- sync --db ""', forms: text },
});

/** What is of this machine and this installation. */
const machine = (said: string): string =>
  Object.entries({
    version: packageVersion(),
    node: process.versions.node,
    sqlite: sqliteVersion(),
    platform: process.platform,
    arch: process.arch,
  }).reduce((left, [name, value]) => left.replace(`"${name}":"${value}"`, `"${name}":"<${name}>"`), said);

holds("version", { version: { line: "version", masks: machine } });
