import type { Capability } from "../../core/cli/capability.ts";

export const settings: Capability = {
  name: "settings",
  settings: {
    declare: (command) =>
      command
        .optionsGroup("Settings file:")
        .option("--config <file>", "read options from this TOML file; the command line overrides it. `movedex init` writes one")
        .option("--section <name>", "the section of the file (default: the only one, or that of --network)"),
    isAsked: (argv) => argv.some((word) => /^--(config|section)(=|$)/.test(word)),
    open: async (argv, env) => {
      const { Settings } = await import("./settings.ts");
      return new Settings(argv, env);
    },
  },
};
