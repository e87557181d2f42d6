import { Option } from "commander";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { parserOf, wholeNumber } from "../../core/cli/options/options.ts";
import type { Slice } from "./verify.ts";

const SLICES_MAX = 10_000;

const parseSlice = parserOf((text): Slice | undefined => {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  const [part, of] = [Number(match?.[1]), Number(match?.[2])];
  return part >= 1 && part <= of && of <= SLICES_MAX ? { part: part - 1, of } : undefined;
}, `Give k/n, with k from 1 to n and n up to ${SLICES_MAX}.`);

export function verifyCommand(): MovedexCommand {
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
