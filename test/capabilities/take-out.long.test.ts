import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { capabilities as listed } from "../../src/capabilities.ts";
import { capabilitiesFor } from "../../src/core/cli/core-commands.ts";
import { reachedFrom } from "../support/imports.ts";
import { asWords, type CliResult, ended, runProcess, temporaryDirectory } from "../support/index.ts";

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
  const list = join(to, "src/capabilities.ts");
  let text = readFileSync(list, "utf8");
  for (const folder of taken) {
    rmSync(join(to, "src/capabilities", folder), { recursive: true });
    rmSync(join(to, "migrations", folder), { recursive: true, force: true });
    const [line = "", name = ""] =
      new RegExp(`^import \\{ (\\w+) \\} from "\\./capabilities/${folder}/index\\.ts";\\n`, "m").exec(text) ?? [];
    text = text.replace(line, "").replace(new RegExp(`^  (?:${name || folder}|\\{ name: "${folder}".* \\}),\n`, "m"), "");
  }
  writeFileSync(list, text);
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

/** Runs three command lines of a copy, one after the other in one process. */
async function runAll(folder: string, lines: readonly [readonly string[], readonly string[], readonly string[]]) {
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
  return JSON.parse(stdout) as [CliResult, CliResult, CliResult];
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
    .filter((name) => ![...reachedFrom(`../test/${name}`)].some((file) => file.startsWith("capabilities")))
    .map((name) => `test/${name}`);
}

describe("without a capability", () => {
  // Compiled once as a whole: without a capability, only the list and what imported the capability are checked again.
  const whole = temporaryDirectory();
  const compile = async (folder: string) =>
    (await runProcess(process.execPath, asWords`${tsc} -p . --incremental --tsBuildInfoFile tsbuildinfo`, { cwd: folder })).stdout;
  beforeAll(async () => {
    copyWithout(new Set(), whole.path);
    expect(await compile(whole.path)).toBe("");
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
      await using node = await startSimNode({ ledger: sample.ledger });
      // Without `night` itself, the core still reads and seals.
      const job = taken.has("night") ? "sync" : "night";
      const [night, onServer, help] = await runAll(copy.path, [
        asWords`${job} --rpc ${node.url} --rate 0 --json --db night.db`,
        asWords`query ${"SELECT 1"} --db postgres://127.0.0.1:1/archive`,
        ["--help"],
      ]);
      const { exit, status, steps } = JSON.parse(night.stdout) as Ended;
      const done = ["sync", "trace", "gaps", "verify", "report"].filter((step) => !commandsOf(taken).includes(step));
      expect({ end: exit ?? status, code: night.code, steps: steps?.map((step) => `${step.name} ${step.exit}`) }).toEqual(
        job === "sync" ? { end: "sealed", code: 0 } : { end: "done", code: 0, steps: done.map((step) => `${step} done`) },
      );
      expect(readdirSync(copy.path)).toContain("night.db");

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
