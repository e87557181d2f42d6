import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { capabilities as listed } from "../../src/capabilities.ts";
import { capabilityTables } from "../../src/capability-tables.ts";
import { capabilityViews } from "../../src/capability-views.ts";
import { capabilitiesFor } from "../../src/core/cli/core-commands.ts";
import { openStore } from "../../src/core/work/store.ts";
import { isBrought, reachedFrom } from "../support/imports.ts";
import { asWords, type CliResult, ended, listsOf, runProcess, temporaryDirectory, valuesOf } from "../support/index.ts";

const capabilities = await capabilitiesFor([], listed);
const root = fileURLToPath(new URL("../..", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");
const copyTo = (to: string, ...names: readonly string[]): void => {
  for (const name of names) cpSync(join(root, name), join(to, name), { recursive: true });
};

/** A copy of the program without a capability and those that need it: their folders, lines and entries of the package are gone. */
function copyWithout(taken: ReadonlySet<string>, to: string): void {
  copyTo(to, "bin", "src", "sim", "migrations", "package.json", "tsconfig.json");
  symlinkSync(join(root, "node_modules"), join(to, "node_modules"));
  const change = (name: string, edit: (text: string) => string) =>
    writeFileSync(join(to, name), edit(readFileSync(join(to, name), "utf8")));
  for (const folder of taken) {
    rmSync(join(to, "src/capabilities", folder), { recursive: true });
    change("src/capabilities.ts", (text) => {
      const [line = "", name = ""] =
        new RegExp(`^import \\{ (\\w+) \\} from "\\./capabilities/${folder}/index\\.ts";\\n`, "m").exec(text) ?? [];
      return text.replace(line, "").replace(new RegExp(`^  (?:${name || folder}|\\{ name: "${folder}".* \\}),\n`, "m"), "");
    });
    for (const list of ["src/capability-tables.ts", "src/capability-views.ts"])
      change(list, (text) => text.replaceAll(new RegExp(`^(?:import .*/capabilities/${folder}/.*|  ${folder}: .*)\n`, "gm"), ""));
  }
  const imported = new RegExp(`from "\\./capabilities/(?:${[...taken].join("|")})/`);
  const entries = ["decode", "diff", "explain"];
  for (const entry of entries) if (imported.test(entryText(to, entry))) rmSync(join(to, `src/${entry}.ts`));
  // `movedex` is all of them and the opened archive.
  if (!entries.every((entry) => entryText(to, entry) !== "") || imported.test(entryText(to, "index"))) rmSync(join(to, "src/index.ts"));
}

function entryText(copy: string, entry: string): string {
  const file = join(copy, `src/${entry}.ts`);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

const commandsOf = (names: ReadonlySet<string>): string[] =>
  capabilities.filter(({ name }) => names.has(name)).flatMap(({ commands = {} }) => Object.values(commands).flatMap(Object.keys));

/** The capability, and all that need it in turn. */
function withThoseThatNeed(name: string): Set<string> {
  const taken = new Set([name]);
  for (const taking of taken) for (const { name, needs = [] } of capabilities) if (needs.includes(taking)) taken.add(name);
  return taken;
}

/** Runs command lines of a copy, one after the other in one process. */
async function runAll<Lines extends readonly (readonly string[])[]>(folder: string, lines: readonly [...Lines]) {
  const program = `
    const { processIo } = await import("./src/core/cli/io.ts");
    const { main } = await import("./src/main.ts");
    const ended = [];
    for (const argv of JSON.parse(process.argv[1])) {
      const said = { stdout: "", stderr: "" };
      const [stdout, stderr] = [async (text) => void (said.stdout += text), (text) => void (said.stderr += text)];
      const code = await main(argv, { ...processIo(), stdout, stderr });
      ended.push({ ...said, code });
    }
    process.stdout.write(JSON.stringify(ended));`;
  const { stdout } = await ended(
    runProcess(process.execPath, ["--input-type=module", "-e", program, JSON.stringify(lines)], { cwd: folder }),
  );
  return JSON.parse(stdout) as { [Line in keyof Lines]: CliResult };
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
  // Compiled once as a whole: without a capability, only the list and what imported the capability are checked again.
  const whole = temporaryDirectory();
  const compile = async (folder: string) =>
    (await runProcess(process.execPath, asWords`${tsc} -p . --incremental --tsBuildInfoFile tsbuildinfo`, { cwd: folder })).stdout;
  beforeAll(async () => {
    copyWithout(new Set(), whole.path);
    expect(await compile(whole.path)).toBe("");
    // Rows of what capabilities keep: sources, judged changes, alerts.
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const accounts = sample.codeAccounts.flatMap((account) => ["--account", account]);
    const sync = (db: string) => [...asWords`sync --rpc ${node.url} --rate 0 --db ${db}`, ...accounts];
    const watched = asWords`watch add ${sample.codeAccounts[1] as string} --level any --db older.db`;
    await runAll(whole.path, [sync("first.db"), asWords`import first.db --db older.db`, watched]);
    sample.passDay();
    const [last] = await runAll(whole.path, [sync("older.db")]);
    expect(last, last.stderr).toMatchObject({ code: 0 });
    const filled = tablesOf(each).filter((name) => listsOf(whole.file("older.db"), `SELECT 1 FROM ${name} LIMIT 1`).length > 0);
    expect(filled).toEqual(
      expect.arrayContaining(asWords`_sources _source_snapshots _judged_upgrades _judged_findings _watches _judgements`),
    );
  });
  const all = capabilities.map(({ name }) => [name, withThoseThatNeed(name)] as const);
  const each = new Set(capabilities.map(({ name }) => name));

  test.each([...all, ["any of them", each] as const])(
    "%s: the rest compiles, has no such command, and its night on the sample ledger ends well",
    async (_, taken) => {
      const copy = temporaryDirectory();
      copyWithout(taken, copy.path);
      cpSync(whole.file("tsbuildinfo"), copy.file("tsbuildinfo"));
      expect(await compile(copy.path)).toBe("");

      const sample = createSampleLedger();
      sample.passDay();
      await using node = await startSimNode({ ledger: sample.ledger });
      // Without `night` itself, the core still reads and seals.
      const job = taken.has("night") ? "sync" : "night";
      const on = (db: string) => asWords`${job} --rpc ${node.url} --rate 0 --json --db ${db}`;
      const [night, onServer, help] = await runAll(copy.path, [
        on("night.db"),
        asWords`query ${"SELECT 1"} --db postgres://127.0.0.1:1/archive`,
        ["--help"],
      ]);
      const { exit, status, steps } = JSON.parse(night.stdout) as Ended;
      const done = ["sync", "trace", "gaps", "verify", "report"].filter((step) => !commandsOf(taken).includes(step));
      expect({ end: exit ?? status, code: night.code, steps: steps?.map((step) => `${step.name} ${step.exit}`) }).toEqual(
        job === "sync" ? { end: "sealed", code: 0 } : { end: "done", code: 0, steps: done.map((step) => `${step} done`) },
      );
      const made = relationsIn(copy.file("night.db"));
      expect(made.filter((name) => relationsOf(taken).includes(name))).toEqual([]);
      expect(made).toEqual(expect.arrayContaining(relationsOf(each).filter((name) => !relationsOf(taken).includes(name))));

      // A file of the whole program is gone on with, and keeps what is nobody's now.
      const older = copy.file("older.db");
      cpSync(whole.file("older.db"), older);
      const kept = rowsIn(older, tablesOf(taken));
      sample.ledger.advance(1000n);
      const [more, verified] = await runAll(copy.path, [on("older.db"), taken.has("verify") ? ["version"] : asWords`verify --db older.db`]);
      expect(more, more.stderr).toMatchObject({ code: 0 });
      expect(verified, verified.stdout).toMatchObject({ code: 0 });
      expect(rowsIn(older, tablesOf(taken))).toEqual(kept);

      // Where the capability is there again, both have all.
      for (const db of [copy.file("night.db"), older]) {
        await (await openStore(db, { mode: "write", now: () => 0 })).close();
        expect(relationsIn(db)).toEqual(expect.arrayContaining(relationsOf(each)));
        const [{ code, stdout }] = await runAll(whole.path, [asWords`verify --db ${db}`]);
        expect(code, stdout).toBe(0);
      }

      const answer = taken.has("postgresql") ? "this movedex has no PostgreSQL" : "could not open `postgres://";
      expect(onServer.stderr).toContain(answer);
      expect(onServer.code).toBe(taken.has("postgresql") ? 64 : 1);

      expect(help.code).toBe(0);
      for (const command of commandsOf(taken)) expect(help.stdout).not.toMatch(new RegExp(`^  ${command} `, "m"));
      expect(help.stdout).toMatch(/^ {2}sync /m);
    },
  );

  test("any of them, the core passes its own tests", async () => {
    const copy = temporaryDirectory();
    copyWithout(each, copy.path);
    copyTo(copy.path, "test", "scripts", "jobs", "vitest.config.ts");
    const [tests, report] = [testsOfCore(), join(copy.path, "report.json")];
    expect(tests.length).toBeGreaterThan(40);
    const argv = ["node_modules/vitest/vitest.mjs", "run", "--project", "pure", "--reporter=json", `--outputFile=${report}`, ...tests];
    await runProcess(process.execPath, argv, { cwd: copy.path, env: { ...process.env, MOVEDEX_TEST_RUN: "short" } });
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const failed = testResults.filter(({ status }) => status !== "passed").map(({ name, message }) => `${name}: ${message}`);
    expect({ failed, numFailedTests }).toEqual({ failed: [], numFailedTests: 0 });
    expect(numPassedTests).toBeGreaterThan(650);
  });
});
