import type { NightPart } from "../../../cli/night-part.ts";
import { watchQueries } from "../../../work/alerts/watches.ts";
import type { StepFlags } from "./run.ts";

/** Alerts, where something is watched: after trace, so that they have exact versions; also of a night that read nothing, for those that wait. */
export const nightPart: NightPart<object, StepFlags> = {
  name: "tell",
  hearsSignals: true,
  isWanted: async (engine) => (await watchQueries(engine).listWatches()).length > 0,
  turn: ({ settings, shared: { database } }) => ({
    flags: database,
    given: () => ({ named: settings.places() }),
    words: settings.wordsForPlaces(),
  }),
  load: async () => (await import("./run.ts")).step,
};
