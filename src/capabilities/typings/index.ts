import type { Capability } from "../../core/cli/capability.ts";

export const typings: Capability = {
  name: "typings",
  needs: ["export"],
  addsTo: {
    export: async () => (await import("./format.ts")).typingsFormat,
  },
};
