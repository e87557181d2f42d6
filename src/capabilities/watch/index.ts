import type { Capability } from "../../core/cli/capability.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import type { StepFlags } from "./tell/run.ts";

export const watch: Capability = {
  name: "watch",
  needs: ["monitoring", "changes", "uses", "compare"],
  commands: {
    "Look at modules:": {
      watch: async () => (await import("./command.ts")).watchCommand,
      tell: async () => (await import("./command.ts")).tellCommand,
    },
  },
  afterSeal: async () => (await import("./judge/judge-new-changes.ts")).judgeForWatches,
  warnings: async () => (await import("./hooks.ts")).warningsOfWatches,
  tracedFirst: async () => (await import("./alerts/watches.ts")).isAlerted,
  metrics: async () => (await import("./hooks.ts")).metricsOfPlaces,
  nightParts: async () => [nightPart],
};

/** Alerts, where something is watched: after trace, so that they have exact versions; those that wait also in a night without news. */
const nightPart: NightPart<object, StepFlags> = {
  name: "tell",
  hearsSignals: true,
  isWanted: async (engine) => {
    const { watchQueries } = await import("./alerts/watches.ts");
    return (await watchQueries(engine).listWatches()).length > 0;
  },
  turn: ({ settings, shared: { database } }) => ({
    flags: database,
    given: () => ({ named: settings.places() }),
    words: settings.places().length === 0 ? [] : settings.fileWords(),
  }),
  load: async () => (await import("./tell/run.ts")).step,
};
