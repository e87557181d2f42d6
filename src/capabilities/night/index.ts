import { type Capability, nightPartsOf } from "../../core/cli/capability.ts";
import type { SyncFlags } from "../../core/cli/commands/sync/run.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { NightFlags, NightPart, NightStep } from "../../core/cli/night-part.ts";
import { parseVersionCount } from "../../core/cli/options/options.ts";

export const night: Capability = {
  name: "night",
  commands: {
    "Archive a ledger:": {
      night: async (capabilities) => {
        const parts = await nightPartsOf(capabilities);
        return () => nightCommand(parts);
      },
    },
  },
  // Before those of all others.
  nightParts: async () => [syncPart],
};

function nightCommand(parts: readonly NightPart[]): MovedexCommand {
  const command = new MovedexCommand("night")
    .summary("run the whole nightly job: sync, trace, verify, backup …")
    .description(
      `Run the whole nightly job under one lock: ${parts.map(({ name }) => name).join(", ")}. If a step fails, the steps that do not depend on it still run. The exit code is that of the gravest failure. A settings file with several sections runs their nights one after the other.`,
    )
    .sharedNode("stop sync, backfill and trace after this time each (90s, 30m, 6h …)", "stop sync and backfill after n requests each")
    .ages()
    .records()
    .optionsGroup("Steps:")
    .option(
      "--lag <n>",
      "read n versions behind the newest, and wait for up to 2 min to know the time exactly (default: the network's, else 0)",
      parseVersionCount,
    );
  for (const part of parts) part.declare?.(command);
  return command
    .optionsGroup("Store and output:")
    .database()
    .option("--dry-run", "print the commands; run none")
    .printsJson(async () => (await import("./result.ts")).nightResults, "print one JSON object at the end instead of one line")
    .monitoring()
    .eachSection()
    .examples("night --network aptos-mainnet --backup backups/ --report changes.md")
    .runs(async (line, flags: NightFlags) => {
      const { runNight } = await import("./run.ts");
      return line.settings.eachSection(line, flags, () => runNight(line, parts, flags));
    })
    .whenRefused(async (line, flags: NightFlags, error) => {
      const { runNight } = await import("./run.ts");
      return line.settings.eachSection(line, flags, () => runNight(line, parts, flags, error));
    });
}

const syncPart: NightPart<object, SyncFlags> = {
  name: "sync",
  reads: true,
  hearsSignals: true,
  turn: ({ flags: { maxRequests, records, lag }, shared: { node, ages, database } }) => ({
    flags: { ...node, maxRequests, ...ages, records, lag, ...database },
  }),
  load: async () => {
    const { takeSnapshot } = await import("../../core/cli/commands/sync/run.ts");
    const { lastResult } = await import("../../core/cli/commands/sync/result.ts");
    return { run: (io, flags) => takeSnapshot(io, flags), print: lastResult } as NightStep<SyncFlags>;
  },
};
