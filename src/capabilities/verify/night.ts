import type { NightPart } from "../../core/cli/night-part.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";
import type { VerifyFlags } from "./run.ts";

const DAY_MS = 86_400_000;

/** One part of the archive a night, or all of it with `--weekly`. */
export const nightPart: NightPart<{ readonly slices: number }, VerifyFlags> = {
  name: "verify",
  isWeekly: true,
  hearsSignals: true,
  spells: { slice: ({ part, of }: NonNullable<VerifyFlags["slice"]>) => `${part + 1}/${of}` },
  advises: { corrupt: "`movedex verify` names it" },
  declare: (command) =>
    command
      .option("--slices <n>", "verify 1/n of the database; 0 for no verification", wholeNumber(0, 10_000), 7)
      .option("--weekly", "verify everything instead, under its own lock"),
  turn: ({ now, flags: { weekly, slices }, shared: { database } }) => {
    if (weekly) return { flags: database };
    // Another part each day: a missed night leaves one part for the next week.
    return slices > 0 ? { flags: { slice: { part: Math.floor(now / DAY_MS) % slices, of: slices }, ...database } } : undefined;
  },
  load: async () => (await import("./run.ts")).step,
};
