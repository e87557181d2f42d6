import { printable } from "../../base/printable.ts";
import { type ExitName, exitCodes } from "../../exit-codes.ts";
import type { CommandLine } from "../movedex-command.ts";
import { jsonLine } from "../output/json-line.ts";
import { askedEnds, capture, exitName, gravest, lastObject } from "./job.ts";

/**
 * Runs a command `once` or, where its settings file has several sections and none was chosen, for each in turn; a failure does
 * not stop the next, a signal does. Lines have their section's name. @returns the gravest end
 */
export async function runEachSection(
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
    const { code, stdout } = await capture([...settings.argv, "--section", name], io, run);
    const lines = stdout.split("\n").filter((line) => line !== "");
    const exit = exitName(code);
    exits.push(exit);
    networks.push({ ...place, exit, exit_code: code, ...lastObject(stdout) });
    if (!flags.json)
      await io.stdout([...lines, `${exit} (exit code ${code}), database ${place.database}`].map((line) => `${name}: ${line}\n`).join(""));
  }
  const exit = gravest(exits);
  if (flags.json) await io.stdout(jsonLine({ exit, exit_code: exitCodes[exit].code, networks }));
  return exit;
}
