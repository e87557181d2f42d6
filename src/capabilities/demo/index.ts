import { rmSync } from "node:fs";
import type { Capability } from "../../core/cli/capability.ts";
import { capture, type Io, type RunCommand } from "../../core/cli/io.ts";
import { type CommandLine, MovedexCommand } from "../../core/cli/movedex-command.ts";
import { MovedexError } from "../../core/errors.ts";
import { exitCodes } from "../../core/exit-codes.ts";
import type { Address } from "../../core/move/address.ts";

export const demo: Capability = {
  name: "demo",
  needs: ["targets"],
  commands: { "About movedex:": { demo: async () => demoCommand } },
};

function demoCommand(): MovedexCommand {
  return new MovedexCommand("demo")
    .summary("try movedex on two simulated nights")
    .description(
      "Archive two nights of a small simulated node on 127.0.0.1, with a day of upgrades between them, and ask the archive some questions. Needs no network. Writes movedex-demo.db into the current directory, and replaces an earlier one.",
    )
    .option("--open", "then open the archive's pages in a browser; Ctrl-C ends it")
    .examples("demo")
    .runs((line, { open = false }: { open?: boolean }) => runDemo(line, open));
}

/** The archive of the demonstration. The name is fixed, so that no option can name an archive that is worth keeping. */
const DATABASE = "movedex-demo.db";

/** What a command's output is piped through in the line that is printed, and the same done here. */
type Filter = { readonly pipe: string; readonly keep: (lines: readonly string[]) => readonly string[] };

/** `of` is the capability that answers it, where the core does not. */
type DemoStep = { readonly command: string; readonly of?: string; readonly shown?: Filter; readonly remark?: string };

const head = (count: number): Filter => ({ pipe: `head -n ${count}`, keep: (lines) => lines.slice(0, count) });
const tail = (count: number): Filter => ({ pipe: `tail -n ${count}`, keep: (lines) => lines.slice(-count) });
const grep = (words: string): Filter => ({
  pipe: `grep '${words}'`,
  keep: (lines) => lines.filter((line) => line.includes(words)),
});

const firstNight: DemoStep = { command: "sync --rate 0", shown: head(2) };
const afterwards: readonly DemoStep[] = [
  { command: "sync --rate 0", shown: head(2), remark: "a day later" },
  { command: `query "SELECT signature FROM functions_at WHERE name = 'spot_price' AND ledger_version = 2592000"`, shown: tail(1) },
  { command: "diff previous latest", of: "compare", shown: head(6) },
  { command: "explain pool 3", of: "explain", shown: head(2) },
  { command: "report", of: "report", shown: grep("breaks clients") },
];

/**
 * Runs `demo`: a night, a day of upgrades, a second night, then questions, each printed as a person would type it, about 25
 * lines. With `isOpened` it then serves the pages until a stop signal. @throws MovedexError when a command fails
 */
async function runDemo({ io, run, capabilities }: CommandLine, isOpened = false): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(DATABASE + suffix, { force: true });
  const { createSampleLedger, startSimNode } = await import("../../../sim/index.ts");
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const settings = { MOVEDEX_RPC_URL: node.url, DATABASE_URL: DATABASE };
  // The machine's own proxy, keys, settings and address to ping are for the archive that it keeps.
  const quiet: Io = { ...io, env: settings, stderrIsTerminal: false };
  const { addGivenTargets } = await import("../targets/run.ts");
  const given = [...sample.codeAccounts, sample.trader].map((address) => ({ address: address as Address, given: address }));
  await addGivenTargets({ ...quiet, stdout: async () => {}, stderr: () => {} }, given, { db: DATABASE });
  await io.stdout(`$ export MOVEDEX_RPC_URL=${node.url} DATABASE_URL=${DATABASE}\n`);
  await show(firstNight, io, quiet, run);
  sample.passDay();
  const names = capabilities.map(({ name }) => name);
  for (const step of afterwards) if (step.of === undefined || names.includes(step.of)) await show(step, io, quiet, run);
  io.stderr(
    `\nThe archive is ${DATABASE}. To look around in it: movedex status --db ${DATABASE}${isOpened ? "" : `, or movedex open --db ${DATABASE}`}\n`,
  );
  if (isOpened) await run(["open", "--db", DATABASE], io);
}

async function show({ command, shown, remark }: DemoStep, io: Io, quiet: Io, run: RunCommand): Promise<void> {
  await io.stdout(`$ movedex ${command}${shown ? ` | ${shown.pipe}` : ""}${remark ? `   # ${remark}` : ""}\n`);
  const lines = (await outputOf(wordsOf(command), quiet, run)).trimEnd().split("\n");
  await io.stdout(`${(shown ? shown.keep(lines) : lines).join("\n")}\n`);
}

/** The words of a command, of which one in quotes may hold blanks. */
const wordsOf = (command: string): string[] => (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));

async function outputOf(argv: readonly string[], io: Io, run: RunCommand): Promise<string> {
  let stderr = "";
  const keep = (text: string): void => {
    stderr += text;
  };
  const { code, stdout } = await capture(argv, { ...io, stderr: keep }, run);
  if (code !== exitCodes.done.code) {
    throw new MovedexError("MOVEDEX_DEMO", `\`movedex ${argv.join(" ")}\` ended with exit code ${code}: ${stderr.trim()}`);
  }
  return stdout;
}
