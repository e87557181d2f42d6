import type { Capability, Commands, LaterCapability } from "./capability.ts";

/** Commands to which capabilities add nothing but hooks. */
const PLAIN: readonly unknown[] = ["sync", "work", "show", "query-worker", "version"];

/** The capabilities that a command line needs: all, but for a plain command without a settings file those that are there already. */
export async function capabilitiesFor(argv: readonly string[], listed: readonly (Capability | LaterCapability)[]): Promise<Capability[]> {
  const isHere = (one: Capability | LaterCapability): one is Capability => !("load" in one);
  const here = listed.filter(isHere);
  if (PLAIN.includes(argv[0]) && !here.some(({ settings }) => settings?.isAsked(argv))) return here;
  return Promise.all(listed.map((one) => (isHere(one) ? one : one.load())));
}

/** The commands of the core. Its headings are those of the help, in its order. */
export const coreCommands: Required<Commands> = {
  "Archive a ledger:": {
    sync: async () => (await import("./commands/sync/command.ts")).syncCommand,
  },
  "Look at modules:": {
    show: async () => (await import("./commands/show/command.ts")).showCommand,
  },
  "Ask the archive:": {
    query: async (capabilities) => (await import("./commands/query/command.ts")).queryCommand(capabilities),
  },
  "Look after the archive:": {},
  "Share the archive:": {},
  "About movedex:": {},
  "": {
    work: async () => {
      const { syncCommand } = await import("./commands/sync/command.ts");
      const { retiredName } = await import("./options/retired.ts");
      return (io) => retiredName("work", syncCommand(), io);
    },
    "query-worker": async () => (await import("./commands/query/command.ts")).queryWorkerCommand,
  },
};

/** Commands that the help lists last below their heading. */
export const lastCommands: Commands = {
  "About movedex:": {
    version: async () => (await import("./commands/version/command.ts")).versionCommand,
    help: async () => (await import("./help.ts")).helpCommand,
  },
};
