import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { capabilities as listed } from "../../src/capabilities.ts";
import { capabilityTables } from "../../src/capability-tables.ts";
import { capabilityViews } from "../../src/capability-views.ts";
import { capabilitiesFor } from "../../src/core/cli/core-commands.ts";
import { openStore } from "../../src/core/work/store.ts";
import { openDatabase, type TestDatabase } from "../engine/support/postgres-databases.ts";
import { isBrought, reachedFrom } from "../support/imports.ts";
import { asWords, ended, listsOf, runCli, runProcess, temporaryDirectory, valuesOf } from "../support/index.ts";
import { CopiedProgram } from "../support/package/copied-program.ts";
import { sharedServers } from "../support/postgres/servers.ts";

const capabilities = await capabilitiesFor([], listed);
const root = fileURLToPath(new URL("../..", import.meta.url));

const commandsOf = (names: ReadonlySet<string>): string[] =>
  capabilities.filter(({ name }) => names.has(name)).flatMap(({ commands = {} }) => Object.values(commands).flatMap(Object.keys));

/** The capability, and all that need it in turn. */
function withThoseThatNeed(name: string): Set<string> {
  const taken = new Set([name]);
  for (const taking of taken) for (const { name, needs = [] } of capabilities) if (needs.includes(taking)) taken.add(name);
  return taken;
}

/** What `sync` prints, or `night`. */
type Ended = {
  readonly exit?: string;
  readonly status?: string;
  readonly steps?: readonly { readonly name: string; readonly exit: string }[];
};

type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[];
};

/** The tests of the core: those of its rooms that reach no capability. They run on a file. */
function testsOfCore(): string[] {
  const rooms = ["abi", "archive", "base", "cli", "crawl", "engine", "move", "node", "questions", "schema", "sim", "work"];
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => rooms.includes(name.split("/")[0] as string) && name.endsWith(".test.ts") && !name.endsWith(".long.test.ts"))
    .filter((name) => ![...reachedFrom(`../test/${name}`)].some((file) => file.startsWith("capabilities/") && !isBrought(file)))
    .map((name) => `test/${name}`);
}

/** The tables, or the tables and views, that capabilities bring. */
const tablesOf = (names: ReadonlySet<string>): string[] =>
  [...names].flatMap((name) => Object.values(capabilityTables[name] ?? {})).map(({ name }) => name);
const relationsOf = (names: ReadonlySet<string>): string[] =>
  tablesOf(names).concat([...names].flatMap((name) => capabilityViews[name] ?? []).map(({ name }) => name));

const relationsIn = (path: string) => valuesOf<string>(path, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')");

/** The rows of tables of a file, as text. */
const rowsIn = (path: string, tables: readonly string[]): string[] =>
  tables.map((table) => JSON.stringify(listsOf(path, `SELECT * FROM ${table}`)));

describe("without a capability", () => {
  const copy = new CopiedProgram();
  const whole = temporaryDirectory();
  beforeAll(async () => {
    expect(await copy.compile()).toBe("");
    // Rows of what capabilities keep: sources, judged changes, alerts.
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const accounts = sample.codeAccounts.flatMap((account) => ["--account", account]);
    const [first, older] = [whole.file("first.db"), whole.file("older.db")];
    const sync = (db: string) => runCli([...asWords`sync --rpc ${node.url} --rate 0 --db ${db}`, ...accounts]);
    await ended(sync(first));
    await ended(runCli(asWords`import ${first} --db ${older}`));
    await ended(runCli(asWords`watch add ${sample.codeAccounts[1] as string} --level any --db ${older}`));
    sample.passDay();
    await ended(sync(older));
    const filled = tablesOf(each).filter((name) => listsOf(older, `SELECT 1 FROM ${name} LIMIT 1`).length > 0);
    expect(filled).toEqual(
      expect.arrayContaining(asWords`_sources _source_snapshots _judged_upgrades _judged_findings _watches _judgements`),
    );
  });
  const all = capabilities.map(({ name }) => [name, withThoseThatNeed(name)] as const);
  const each = new Set(capabilities.map(({ name }) => name));

  test.each([...all, ["any of them", each] as const])(
    "%s: the rest compiles, has no such command, and its night on the sample ledger ends well",
    async (_, taken) => {
      copy.takeOut(taken);
      expect(await copy.compile()).toBe("");

      const sample = createSampleLedger();
      sample.passDay();
      sample.ledger.advance(1000n);
      await using node = await startSimNode({ ledger: sample.ledger });
      using place = temporaryDirectory();
      // One file that is new, and one of the whole program, which is gone on with.
      const [made, older] = [place.file("night.db"), place.file("older.db")];
      cpSync(whole.file("older.db"), older);
      const kept = rowsIn(older, tablesOf(taken));
      // Without `night` itself, the core still reads and seals.
      const job = taken.has("night") ? "sync" : "night";
      const on = (db: string) => asWords`${job} --rpc ${node.url} --rate 0 --json --db ${db}`;
      const [night, onServer, help, more, verified, recipes] = await copy.run([
        on(made),
        asWords`query ${"SELECT 1"} --db postgres://127.0.0.1:1/archive`,
        ["--help"],
        on(older),
        taken.has("verify") ? ["version"] : asWords`verify --db ${older}`,
        taken.has("cookbook") ? ["version"] : asWords`cookbook --json`,
      ]);
      const { exit, status, steps } = JSON.parse(night.stdout) as Ended;
      const done = ["sync", "trace", "gaps", "verify", "report"].filter((step) => !commandsOf(taken).includes(step));
      expect({ end: exit ?? status, code: night.code, steps: steps?.map((step) => `${step.name} ${step.exit}`) }).toEqual(
        job === "sync" ? { end: "sealed", code: 0 } : { end: "done", code: 0, steps: done.map((step) => `${step} done`) },
      );
      expect(relationsIn(made).filter((name) => relationsOf(taken).includes(name))).toEqual([]);
      expect(relationsIn(made)).toEqual(expect.arrayContaining(relationsOf(each).filter((name) => !relationsOf(taken).includes(name))));

      // No recipe asks for what is not there.
      const asked = taken.has("cookbook") ? [] : (JSON.parse(recipes.stdout) as { sql: string }[]).map(({ sql }) => sql);
      for (const relation of relationsOf(taken)) expect(asked.join("\n")).not.toMatch(new RegExp(`\\b(?:FROM|JOIN) ${relation}\\b`));

      // It keeps what is nobody's now.
      expect(more, more.stderr).toMatchObject({ code: 0 });
      expect(verified, verified.stdout).toMatchObject({ code: 0 });
      expect(rowsIn(older, tablesOf(taken))).toEqual(kept);

      // Where the capability is there again, both have all.
      for (const db of [made, older]) {
        await (await openStore(db, { mode: "write", now: () => 0 })).close();
        expect(relationsIn(db)).toEqual(expect.arrayContaining(relationsOf(each)));
        await ended(runCli(asWords`verify --db ${db}`));
      }

      const answer = taken.has("postgresql") ? "this movedex has no PostgreSQL" : "could not open `postgres://";
      expect(onServer.stderr).toContain(answer);
      expect(onServer.code).toBe(taken.has("postgresql") ? 64 : 1);

      expect(help.code).toBe(0);
      for (const command of commandsOf(taken)) expect(help.stdout).not.toMatch(new RegExp(`^  ${command} `, "m"));
      expect(help.stdout).toMatch(/^ {2}sync /m);
    },
  );

  const [server] = sharedServers.filter(({ missing }) => missing === undefined);
  const owners = ["import", "changes", "watch"];
  test.skipIf(server === undefined).each([["import"], owners].map((names) => [names.join(", "), names] as const))(
    "%s: a server has none of the tables where it is new, and keeps them where it is older",
    async (_, names) => {
      const taken = new Set(names.flatMap((name) => [...withThoseThatNeed(name)]));
      const port = Number(new URL(server?.url as string).port);
      const [made, older] = [await openDatabase(port), await openDatabase(port)];
      using place = temporaryDirectory();
      const sample = createSampleLedger();
      await using node = await startSimNode({ ledger: sample.ledger });
      const sync = (db: string) => asWords`sync --rpc ${node.url} --rate 0 --db ${db}`;
      const first = place.file("first.db");
      await ended(runCli([...sync(first), ...sample.codeAccounts.flatMap((account) => ["--account", account])]));
      await ended(runCli(asWords`import ${first} --db ${older.url()}`));
      await ended(runCli(asWords`watch add ${sample.codeAccounts[1] as string} --level any --db ${older.url()}`));
      sample.passDay();
      await ended(runCli(sync(older.url())));
      const rows = () => Promise.all(tablesOf(taken).map((table) => older.rows(`SELECT * FROM movedex.${table} ORDER BY 1, 2, 3, 4`)));
      const kept = await rows();
      expect(kept.flat()).not.toEqual([]);

      copy.takeOut(taken);
      sample.ledger.advance(1000n);
      for (const done of await copy.run([sync(made.url()), sync(older.url())])) expect(done, done.stderr).toMatchObject({ code: 0 });
      const relationsOn = ({ rows }: TestDatabase) =>
        rows("SELECT relname::text FROM pg_class WHERE relnamespace = 'movedex'::regnamespace");
      const relations = (await relationsOn(made)).flat() as string[];
      expect(relations.filter((name) => relationsOf(taken).includes(name))).toEqual([]);
      expect(relations).toEqual(expect.arrayContaining(relationsOf(each).filter((name) => !relationsOf(taken).includes(name))));
      expect(await rows()).toEqual(kept);

      for (const database of [made, older]) {
        await ended(runCli(sync(database.url())));
        expect((await relationsOn(database)).flat()).toEqual(expect.arrayContaining(relationsOf(each)));
        await ended(runCli(asWords`verify --db ${database.url()}`));
      }
    },
  );

  test("any of them, the core passes its own tests", async () => {
    const copy = new CopiedProgram("test", "scripts", "jobs", "vitest.config.ts");
    copy.takeOut(each);
    const [tests, report] = [testsOfCore(), join(copy.path, "report.json")];
    expect(tests.length).toBeGreaterThan(40);
    const argv = ["node_modules/vitest/vitest.mjs", "run", "--project", "short", "--reporter=json", `--outputFile=${report}`, ...tests];
    await runProcess(process.execPath, argv, { cwd: copy.path, env: { ...process.env, MOVEDEX_TEST_RUN: "short" } });
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const failed = testResults.filter(({ status }) => status !== "passed").map(({ name, message }) => `${name}: ${message}`);
    expect({ failed, numFailedTests }).toEqual({ failed: [], numFailedTests: 0 });
    expect(numPassedTests).toBeGreaterThan(650);
  });
});
