import type { Commands } from "./capability.ts";

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

/** Those that stand behind all others of their heading. */
export const lastCommands: Commands = {
  "About movedex:": {
    version: async () => (await import("./commands/version/command.ts")).versionCommand,
    help: async () => (await import("./help.ts")).helpCommand,
  },
};
