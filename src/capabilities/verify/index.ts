import { Option } from "commander";
import { DAY_MS } from "../../core/base/time.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import { parserOf, wholeNumber } from "../../core/cli/options/options.ts";
import type { Slice } from "../../core/db/engine/check.ts";
import type { VerifyFlags } from "./run.ts";

export const verify: Capability = {
  name: "verify",
  commands: { "Look after the archive:": { verify: async () => verifyCommand } },
  nightParts: async () => [nightPart],
};

const SLICES_MAX = 10_000;

const parseSlice = parserOf((text): Slice | undefined => {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  const [part, of] = [Number(match?.[1]), Number(match?.[2])];
  return part >= 1 && part <= of && of <= SLICES_MAX ? { part: part - 1, of } : undefined;
}, `Give k/n, with k from 1 to n and n up to ${SLICES_MAX}.`);

function verifyCommand(): MovedexCommand {
  return new MovedexCommand("verify")
    .summary("check that the archive is intact")
    .description(
      "Check that the archive is intact: hash and decode every bytecode again, derive every row again, and compute every digest again. Changes nothing without --rebuild. Other processes may write meanwhile. Exits with 6 if something is wrong.",
    )
    .optionsGroup("What to check:")
    .addOption(
      new Option("--slice <k/n>", "check part k of n; n nights then check everything")
        .argParser(parseSlice)
        .default({ part: 0, of: 1 } satisfies Slice, "1/1, everything"),
    )
    .option("--against <url>", "also compare a random sample with this node (or --rpc, --network)")
    .option("--sample <n>", "with a node: how many accounts to read again", wholeNumber(1, 1e9), 20)
    .option("--rebuild", "first make the views, and all rows that follow from bytecode, anew")
    .node()
    .optionsGroup("Store and output:")
    .database()
    .option("--limit <n>", "print at most n findings", wholeNumber(0, 1e9), 1000)
    .printsJson(async () => (await import("./run.ts")).verifyResult, "print one JSON object at the end")
    .examples(
      "verify --db night.db",
      "verify --db night.db --slice 1/7 --network aptos-mainnet --sample 50",
      "verify --db night.db --rebuild",
    )
    .runsFrom(async () => (await import("./run.ts")).runVerify);
}

/** One part of the archive a night, or all of it with `--weekly`. */
const nightPart: NightPart<{ readonly slices: number }, VerifyFlags> = {
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
