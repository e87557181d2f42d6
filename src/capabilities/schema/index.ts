import type { Capability } from "../../core/cli/capability.ts";

export const schema: Capability = {
  name: "schema",
  commands: {
    "Ask the archive:": {
      schema: async () => (await import("./command.ts")).schemaCommand,
    },
  },
};
