import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, type SimNode, startSimNode, writeModule } from "../../sim/index.ts";
import { networks } from "../../src/core/node/networks.ts";
import { asWords, ended, runCli, temporaryDirectory } from "../support/index.ts";
import { type Page, readPages, shellLines, shellWords } from "./support/pages.ts";

const pages = readPages();
const pageOf = (path: string): Page => pages.find((page) => page.path === path) as Page;

// In this order in one directory, as a reader would type them, page after page.
const order = asWords`
  README.md docs/querying.md docs/targets.md docs/cookbook.md docs/exchange.md docs/operations.md docs/history.md docs/watching.md
`;
const typed = [...order, "docs/diff-rules.md"].flatMap((path) =>
  shellLines(pageOf(path))
    .filter((line) => line.startsWith("movedex "))
    .map((line) => ({ path, line })),
);

/** What the page of each capability says to try: the demonstration first, whose archive others ask. Two never end, and one is there. */
const tried = readdirSync("src/capabilities").flatMap((name) => {
  const path = `src/capabilities/${name}/README.md`;
  const [words = ""] = /\*\*Try it\*\*: .*/.exec(readFileSync(path, "utf8")) ?? [];
  return Array.from(words.matchAll(/`(movedex (?!open |serve |init`|[^`]*postgres:)[^`]+)`/g), ([, line = ""]) => ({ path, line }));
});
const isDemo = ({ line }: { line: string }): boolean => line === "movedex demo";
typed.push(...tried.filter(isDemo).slice(0, 1), ...tried.filter((one) => !isDemo(one)));

/** Files that a line takes for granted, by a part of the line. */
const preparations: Readonly<Record<string, (node: SimNode) => void | Promise<void>>> = {
  "accounts.csv": () => writeFileSync("accounts.csv", "address\n0x1\n"),
  "calls.jsonl": () => writeFileSync("calls.jsonl", '{"version":"5","sender":"0x1"}\n'),
  "import other.db": () => cpSync("night.db", "other.db"),
  // In place of the public networks that `init` wrote.
  "--config movedex.toml": ({ url }) => {
    const section = (name: string): string => `[${name}]\nrpc = "${url}"\nrate = 0\ndb = "${name}.db"\n`;
    writeFileSync("movedex.toml", section("one") + section("two"));
  },
  "build/MyPackage": () => {
    mkdirSync("build/MyPackage/bytecode_modules", { recursive: true });
    writeFileSync("build/MyPackage/bytecode_modules/coin.mv", writeModule({ address: "0x1", name: "coin" }));
  },
  "restore backups/": () => {
    const copy = readdirSync("backups").find((name) => name.endsWith(".db.zst")) ?? expect.fail("backup made no copy");
    if (!existsSync("backups/night-20260701.db.zst")) cpSync(`backups/${copy}`, "backups/night-20260701.db.zst");
  },
};

/**
 * Exit codes other than 0 that are the true answer about the sample ledger, by a part of the line. The ledger stands still
 * while the pages are typed, so a night after the first finds no newer state.
 */
const answers: Readonly<Record<string, readonly number[]>> = {
  "--fail-on breaking": [0, 100],
  // The build lacks what the sample's module has.
  "movedex check ": [100],
  "diff ": [0, 101],
  "movedex night ": [0, 7],
  "sync --network aptos-mainnet": [0, 7],
};

describe("what the documentation tells people to type, against the simulated ledger", () => {
  const sample = createSampleLedger();
  const home = process.cwd();
  const place = temporaryDirectory();
  let node: SimNode;

  beforeAll(async () => {
    node = await startSimNode({ ledger: sample.ledger });
    process.chdir(place.path);
  });
  afterAll(async () => {
    process.chdir(home);
    await node.close();
  });

  /** The words of the line's own command, with the simulated node in place of a public network. */
  const wordsOf = (line: string): string[] => {
    const words = shellWords(line.replace(/ (?:> \S+|\| jq .*)$/, "")).slice(1);
    const at = words.findIndex((word) => word === "--network" || word === "--rpc");
    if (at >= 0 && words[0] !== "init") {
      if (words[at] === "--network") expect(Object.keys(networks)).toContain(words[at + 1]);
      words.splice(at, 2, "--rpc", node.url, "--rate", "0");
    }
    return words;
  };

  test.each(typed)("$path: $line", async ({ path, line }) => {
    for (const [part, prepare] of Object.entries(preparations)) if (line.includes(part)) await prepare(node);
    const allowed = Object.entries(answers).find(([part]) => line.includes(part))?.[1] ?? [0];
    const { code, stdout, stderr } = await runCli(wordsOf(line), { env: { DATABASE_URL: "night.db" } });
    expect(allowed, stderr).toContain(code);
    expect(stdout + stderr).not.toBe("");
    // After the README's night a day passes, so that the pages after it have something to tell.
    if (path === "README.md" && line === typed.filter((other) => other.path === path).at(-1)?.line) {
      sample.passDay();
      await ended(runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", "night.db"]));
    }
  });

  test("docs/exchange.md: DuckDB reads the exported tables", async () => {
    const line = shellLines(pageOf("docs/exchange.md")).find((one) => one.startsWith("duckdb -c ")) ?? "";
    const duck = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    const { length } = (await duck.runAndReadAll(shellWords(line)[2] as string)).getRows();
    expect(length).toBeGreaterThan(3);
  });

  test("docs/serve.md: the loop follows the cursor and keeps the version", async () => {
    const [, body = ""] = /^```js\n([\s\S]*?)^```$/m.exec(pageOf("docs/serve.md").text) ?? [];
    const file = place.file("modules-at.mjs");
    writeFileSync(file, body);
    const { modulesAt } = (await import(pathToFileURL(file).href)) as {
      modulesAt: (base: string, address: string, version: bigint) => Promise<{ abi: { name: string } }[]>;
    };
    const { head } = sample.ledger;
    await using small = await startSimNode({ ledger: sample.ledger, maxPageSize: 2 });
    const modules = await modulesAt(small.url, "0x1", head);
    expect(new Set(modules.map(({ abi }) => abi.name)).size).toBe(modules.length);
    expect(modules.length).toBeGreaterThan(5);
    expect(small.requests.every(({ query }) => query.includes(`ledger_version=${head}`))).toBe(true);
    await expect(modulesAt(small.url, "0x1", head + 10n)).rejects.toThrow("version_not_found");
  });
});
