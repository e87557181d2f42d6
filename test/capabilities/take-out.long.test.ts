import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { capabilities } from "../../src/capabilities.ts";
import { runProcess, temporaryDirectory } from "../support/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the program without a capability and those that need it: their folders, lines and entries of the package are gone. */
function copyWithout(taken: ReadonlySet<string>, to: string): void {
  for (const name of ["bin", "src", "sim", "migrations", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(to, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(to, "node_modules"));
  const list = join(to, "src/capabilities.ts");
  let text = readFileSync(list, "utf8");
  for (const folder of taken) {
    rmSync(join(to, "src/capabilities", folder), { recursive: true });
    rmSync(join(to, "migrations", folder), { recursive: true, force: true });
    const [line = "", name = ""] =
      new RegExp(`^import \\{ (\\w+) \\} from "\\./capabilities/${folder}/index\\.ts";\\n`, "m").exec(text) ?? [];
    text = text.replace(line, "").replace(`  ${name},\n`, "");
  }
  writeFileSync(list, text);
  const imported = new RegExp(`from "\\./capabilities/(?:${[...taken].join("|")})/`);
  for (const entry of ["diff", "explain"]) if (imported.test(entryText(to, entry))) rmSync(join(to, `src/${entry}.ts`));
  // `movedex` is all of them and the opened archive.
  if (!["diff", "explain"].every((entry) => entryText(to, entry) !== "") || imported.test(entryText(to, "index")))
    rmSync(join(to, "src/index.ts"));
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

describe("without a capability", () => {
  const all = capabilities.map(({ name }) => [name] as const);

  test.each(all)("%s: the rest compiles, has no such command, and its night on the sample ledger ends well", async (name) => {
    const taken = withThoseThatNeed(name);
    const copy = temporaryDirectory();
    copyWithout(taken, copy.path);
    const run = (file: string, ...argv: string[]) => runProcess(process.execPath, [file, ...argv], { cwd: copy.path });

    const compiled = await run("node_modules/typescript/bin/tsc", "-p", ".");
    expect(compiled.stdout).toBe("");

    const help = await run("bin/movedex.mjs", "--help");
    expect(help.code).toBe(0);
    for (const command of commandsOf(taken)) expect(help.stdout).not.toMatch(new RegExp(`^  ${command} `, "m"));
    expect(help.stdout).toMatch(/^ {2}sync /m);

    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const night = await run("bin/movedex.mjs", "night", "--rpc", node.url, "--rate", "0", "--json", "--db", "night.db");
    const { exit, steps } = JSON.parse(night.stdout) as { exit: string; steps: { name: string; exit: string }[] };
    expect({ exit, code: night.code, steps: steps.map((step) => `${step.name} ${step.exit}`) }).toEqual({
      exit: "done",
      code: 0,
      steps: ["sync", "trace", "gaps", "verify", "report"]
        .filter((step) => !commandsOf(taken).includes(step))
        .map((step) => `${step} done`),
    });
    expect(readdirSync(copy.path)).toContain("night.db");

    const onServer = await run("bin/movedex.mjs", "status", "--db", "postgres://127.0.0.1:1/archive");
    const answer = taken.has("postgresql") ? "this movedex has no PostgreSQL" : "could not open `postgres://";
    expect(onServer.stderr).toContain(answer);
    expect(onServer.code).toBe(taken.has("postgresql") ? 64 : 1);
  });
});
