import { printable } from "../../core/base/printable.ts";
import { noticesOf } from "../../core/cli/hooks.ts";
import { capture, type Io, openLog, type RunCommand } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { ofNetworks } from "../../core/cli/output/result-fields.ts";
import type { SectionToRun } from "../../core/cli/settings.ts";
import { MovedexError } from "../../core/errors.ts";
import { type ExitName, exitCodes, gravest, stoppedByUser } from "../../core/exit-codes.ts";

type EachFlags = { readonly json?: boolean; readonly dryRun?: boolean };

/**
 * Runs a command line for each section in turn; a failure does not stop the next, a signal does. Lines have their section's name.
 * @returns the gravest end
 */
export async function runSections(
  { io, run }: { readonly io: Io; readonly run: RunCommand },
  argv: readonly string[],
  sections: readonly SectionToRun[],
  flags: EachFlags,
): Promise<ExitName> {
  const notices = flags.dryRun ? undefined : noticesOf(io.hooks);
  const pings = await notices?.ofSections(sections, { io, log: openLog(io) });
  const networks: Record<string, unknown>[] = [];
  const exits: ExitName[] = [];
  // The next sections run all the same, and the log has what nobody could print.
  const print = async (text: string, section: SectionToRun): Promise<void> => {
    await io.stdout(text).catch((error: unknown) => {
      if (!(error instanceof MovedexError)) throw error;
      io.stderr(`${text}movedex: ${error.message}\n`);
      exits.push("failed");
      pings?.note(section, "failed", error.message);
    });
  };
  const runOne = async (section: SectionToRun): Promise<void> => {
    const { name } = section;
    const place = { section: name, database: printable(section.database, 1000) };
    const asked = exits.find((exit) => stoppedByUser.includes(exit));
    if (asked !== undefined) {
      pings?.note(section, asked, "left out");
      networks.push({ ...place, exit: "left out", exit_code: null });
      if (!flags.json) await print(`${name}: left out\n`, section);
      return;
    }
    const [results, said]: [Readonly<Record<string, unknown>>[], string[]] = [[], []];
    const taking = {
      takeStart: async () => pings?.start(section),
      takeResult: (printed: Readonly<Record<string, unknown>>) => void results.push(printed),
      takeLine: (line: string) => void said.push(line),
    };
    const { code, stdout } = await capture([...argv, "--section", name], { ...io, ...taking }, run);
    const lines = stdout.split("\n").filter((line) => line !== "");
    const exit = (Object.keys(exitCodes) as ExitName[]).find((one) => exitCodes[one].code === code) ?? "failed";
    exits.push(exit);
    // One that failed before it could begin is told of all the same.
    if (exit !== "locked") await pings?.start(section);
    pings?.note(section, exit, said.at(-1) ?? lines.at(-1) ?? `exit code ${code}`);
    networks.push({ ...place, exit, exit_code: code, ...results.at(-1) });
    if (!flags.json)
      await print([...lines, `exit code ${code}, database ${place.database}`].map((line) => `${name}: ${line}\n`).join(""), section);
  };
  try {
    const last = sections.at(-1) as SectionToRun;
    for (const section of sections) {
      await runOne(section);
      if (section !== last) await pings?.endWith(section);
    }
    const exit = gravest(exits);
    if (flags.json) await print(jsonLine(ofNetworks({}).print({ exit, exitCode: exitCodes[exit].code, networks })), last);
    // After the last line, so that a run whose result nobody could take has failed.
    await pings?.endWith(last);
    return gravest(exits);
  } catch (error) {
    await pings?.fail();
    throw error;
  }
}
