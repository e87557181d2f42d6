import { printable } from "../../base/printable.ts";
import { all, anything, type Fields, list, maybe, object, orNull, printed, text, whole } from "../../base/result.ts";
import { MovedexError } from "../../errors.ts";
import { type ExitName, exitCodes, gravest, stoppedByUser } from "../../exit-codes.ts";
import { type Io, openLog, type RunCommand } from "../io.ts";
import type { CommandLine } from "../movedex-command.ts";
import { jsonLine } from "../output/json-line.ts";
import { exitWord } from "../output/result-fields.ts";
import type { SectionToRun } from "../settings.ts";
import type { SectionPings } from "./section-pings.ts";

type EachFlags = { readonly json?: boolean; readonly dryRun?: boolean };

/** What a command prints that runs for several networks, each with fields of its own. */
export function ofNetworks(fields: Fields) {
  const own = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, isOptional: true }]));
  const network = object({ ...all(text, "section", "database"), ...own, exit: exitWord, exit_code: orNull(whole), error: maybe(anything) });
  return object({ exit: exitWord, exit_code: whole, networks: list(printed(network)) });
}

/**
 * Runs a command `once` or, where its settings file has several sections and none was chosen, for each in turn; a failure does
 * not stop the next, a signal does. Lines have their section's name. @returns the gravest end
 */
export async function runEachSection(line: CommandLine, flags: EachFlags, once: () => Promise<ExitName>): Promise<ExitName> {
  const { sections } = line.settings;
  if (sections === undefined) return await once();
  // Loaded here, since every command line declares the commands that use this file, and the connections of pings are slow to load.
  const { SectionPings } = await import("./section-pings.ts");
  const pings = new SectionPings(flags.dryRun ? [] : sections, { io: line.io, log: openLog(line.io) });
  try {
    return await runSections(line, flags, sections, pings);
  } catch (error) {
    await pings.fail();
    throw error;
  }
}

async function runSections(
  { settings, io, run }: CommandLine,
  flags: EachFlags,
  sections: readonly SectionToRun[],
  pings: SectionPings,
): Promise<ExitName> {
  const networks: Record<string, unknown>[] = [];
  const exits: ExitName[] = [];
  const last = sections.at(-1) as SectionToRun;
  // The next sections run all the same, and the log has what nobody could print.
  const print = async (text: string, section = last): Promise<void> => {
    await io.stdout(text).catch((error: unknown) => {
      if (!(error instanceof MovedexError)) throw error;
      io.stderr(`${text}movedex: ${error.message}\n`);
      exits.push("failed");
      pings.note(section, "failed", error.message);
    });
  };
  for (const section of sections) {
    const { name, database } = section;
    const place = { section: name, database: printable(database, 1000) };
    const asked = exits.find((exit) => stoppedByUser.includes(exit));
    if (asked !== undefined) {
      pings.note(section, asked, "left out");
      networks.push({ ...place, exit: "left out", exit_code: null });
      if (!flags.json) await print(`${name}: left out\n`, section);
    } else {
      let result: Readonly<Record<string, unknown>> = {};
      const takeResult = (printed: typeof result): void => {
        result = printed;
      };
      let said: string | undefined;
      const takeLine = (line: string): void => {
        said = line;
      };
      const takeStart = (): Promise<void> => pings.start(section);
      const { code, stdout } = await capture([...settings.argv, "--section", name], { ...io, takeStart, takeResult, takeLine }, run);
      const lines = stdout.split("\n").filter((line) => line !== "");
      const exit = exitName(code);
      exits.push(exit);
      // One that failed before it could begin is told of all the same.
      if (exit !== "locked") await pings.start(section);
      pings.note(section, exit, said ?? lines.at(-1) ?? `exit code ${code}`);
      networks.push({ ...place, exit, exit_code: code, ...result });
      if (!flags.json)
        await print([...lines, `exit code ${code}, database ${place.database}`].map((line) => `${name}: ${line}\n`).join(""), section);
    }
    if (section !== last) await pings.endWith(section);
  }
  const exit = gravest(exits);
  if (flags.json) await print(jsonLine(ofNetworks({}).print({ exit, exitCode: exitCodes[exit].code, networks })));
  // After the last line, so that a run whose result nobody could take has failed.
  await pings.endWith(last);
  return gravest(exits);
}

/** Runs a command line as a part of this one and keeps what it prints. The signals of the process reach it. */
export async function capture(
  argv: readonly string[],
  io: Io,
  run: RunCommand,
): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = "";
  const keep = async (text: string): Promise<void> => {
    stdout += text;
  };
  return { code: await run(argv, { ...io, stdout: keep, stdoutIsTerminal: false, isPart: true }), stdout };
}

/** The row of the exit code table that a command ended with. */
function exitName(code: number): ExitName {
  const names = Object.keys(exitCodes) as ExitName[];
  return names.find((name) => exitCodes[name].code === code) ?? "failed";
}
