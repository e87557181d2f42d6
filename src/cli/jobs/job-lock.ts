import { printable } from "../../base/printable.ts";
import { type ExitName, exitCodes } from "../../exit-codes.ts";
import type { Io, RunCommand } from "../io.ts";
import type { CommandLine } from "../movedex-command.ts";
import { jsonLine } from "../output/json-line.ts";
import { askedEnds, exitName, gravest } from "./job.ts";

/**
 * Runs a command `once` or, where its settings file has several sections and none was chosen, for each in turn; a failure does
 * not stop the next, a signal does. Lines have their section's name. @returns the gravest end
 */
export async function withJobLock(
  { settings, io, run }: CommandLine,
  flags: { readonly json?: boolean },
  once: () => Promise<ExitName>,
): Promise<ExitName> {
  const { sections } = settings;
  if (sections === undefined) return await once();
  const networks: Record<string, unknown>[] = [];
  const exits: (ExitName | undefined)[] = [];
  for (const { name, database } of sections) {
    const place = { section: name, database: printable(database, 1000) };
    if (exits.some((exit) => exit !== undefined && askedEnds.includes(exit))) {
      exits.push(undefined);
      networks.push({ ...place, exit: "left out", exit_code: null });
      if (!flags.json) await io.stdout(`${name}: left out\n`);
      continue;
    }
    const { code, lines } = await capture([...settings.argv, "--section", name], io, run);
    const exit = exitName(code);
    exits.push(exit);
    networks.push({ ...place, exit, exit_code: code, ...lastObject(lines) });
    if (!flags.json)
      await io.stdout([...lines, `${exit} (exit code ${code}), database ${place.database}`].map((line) => `${name}: ${line}\n`).join(""));
  }
  const exit = gravest(exits);
  if (flags.json) await io.stdout(jsonLine({ exit, exit_code: exitCodes[exit].code, networks }));
  return exit;
}

async function capture(argv: readonly string[], io: Io, run: RunCommand): Promise<{ readonly code: number; readonly lines: string[] }> {
  let text = "";
  const stdout = async (part: string): Promise<void> => {
    text += part;
  };
  const code = await run(argv, { ...io, stdout, stdoutIsTerminal: false });
  return { code, lines: text.split("\n").filter((line) => line !== "") };
}

function lastObject(lines: readonly string[]): object {
  const line = lines.at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as object) : {};
}
