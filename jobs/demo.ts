import { rmSync } from "node:fs";
import { processIo } from "../src/cli/process-io.ts";
import { main } from "../src/main.ts";
import { createSampleLedger, startSimNode } from "../src/sim/index.ts";

/**
 * The main job without a network: a simulated ledger node on 127.0.0.1, two nights with a day of upgrades between them, and
 * what can be asked afterwards. Prints the commands and what they print, cut where the command line says so.
 *
 *     npm run demo
 */
const db = "movedex-demo.db";

/** What a command's output is piped through, and the same done here. */
type Filter = { readonly pipe: string; readonly keep: (lines: readonly string[]) => readonly string[] };

/** A command of the demonstration, and the part of its output that is shown. */
type Step = { readonly command: string; readonly shown?: Filter; readonly remark?: string };

const head = (count: number): Filter => ({ pipe: `head -n ${count}`, keep: (lines) => lines.slice(0, count) });
const tail = (count: number): Filter => ({ pipe: `tail -n ${count}`, keep: (lines) => lines.slice(-count) });
const grep = (start: string): Filter => ({
  pipe: `grep '^${start}'`,
  keep: (lines) => lines.filter((line) => line.startsWith(start)),
});

const firstNight: Step = { command: "sync --rate 0", shown: head(2) };
const afterwards: readonly Step[] = [
  { command: "sync --rate 0", shown: head(2), remark: "a day later" },
  { command: "show pool::quote", shown: tail(1) },
  { command: "diff previous latest", shown: head(6) },
  { command: "explain pool 3", shown: head(2) },
  { command: "search place order" },
  { command: "report", shown: grep("## Modules") },
];

/** Runs one command line of movedex; gives what it printed on stdout. @throws Error when it does not end with exit code 0 */
async function outputOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  let stdout = "";
  const stdoutOf = async (text: string): Promise<void> => {
    stdout += text;
  };
  const io = { ...processIo(), env: { ...process.env, ...env }, stdout: stdoutOf };
  const code = await main(args, io);
  if (code !== 0) throw new Error(`\`movedex ${args.join(" ")}\` ended with exit code ${code}`);
  return stdout;
}

async function show({ command, shown, remark }: Step, env: Readonly<Record<string, string>>): Promise<void> {
  process.stdout.write(`$ movedex ${command}${shown ? ` | ${shown.pipe}` : ""}${remark ? `   # ${remark}` : ""}\n`);
  const lines = (await outputOf(command.split(" "), env)).trimEnd().split("\n");
  process.stdout.write(`${(shown ? shown.keep(lines) : lines).join("\n")}\n`);
}

// The database of an earlier demonstration is replaced. The name is fixed, so that no option can name an archive that is kept.
for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(db + suffix, { force: true });
const sample = createSampleLedger();
await using node = await startSimNode({ ledger: sample.ledger });
const env = { MOVEDEX_RPC_URL: node.url, DATABASE_URL: db };
await outputOf(["targets", "add", ...sample.codeAccounts, sample.trader], env);
process.stdout.write(`$ export MOVEDEX_RPC_URL=${node.url} DATABASE_URL=${db}\n`);
await show(firstNight, env);
sample.passDay();
for (const step of afterwards) await show(step, env);
process.stderr.write(`\nThe archive is ${db}. Look around in it: npx movedex status --db ${db}\n`);
