import type { Capability } from "../../core/cli/capability.ts";

export const cadence: Capability = {
  name: "cadence",
  needs: ["horizon"],
  chooseTargets: async () => (await import("./chosen-targets.ts")).chooser,
};
