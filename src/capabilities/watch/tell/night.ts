import type { NightPart } from "../../../core/cli/night-part.ts";
import type { StepFlags } from "./run.ts";

/** Alerts, where something is watched: after trace, so that they have exact versions; those that wait also in a night without news. */
export const nightPart: NightPart<object, StepFlags> = {
  name: "tell",
  hearsSignals: true,
  isWanted: async (engine) => {
    const { watchQueries } = await import("../alerts/watches.ts");
    return (await watchQueries(engine).listWatches()).length > 0;
  },
  turn: ({ settings, shared: { database } }) => ({
    flags: database,
    given: () => ({ named: settings.places() }),
    words: settings.places().length === 0 ? [] : settings.fileWords(),
  }),
  load: async () => (await import("./run.ts")).step,
};
