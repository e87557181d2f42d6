import type { Capability } from "../../capability.ts";
import type { NightPart, NightStep } from "../../night-part.ts";
import type { GapsFlags } from "../gaps/command.ts";
import type { SyncFlags } from "../sync/run.ts";

const syncPart: NightPart<object, SyncFlags> = {
  name: "sync",
  hearsSignals: true,
  turn: ({ flags: { maxRequests, records, lag }, shared: { node, ages, database } }) => ({
    flags: { ...node, maxRequests, ...ages, records, lag, ...database },
  }),
  load: async () => (await import("../sync/run.ts")).step as NightStep<SyncFlags>,
};

const gapsPart: NightPart<object, GapsFlags> = {
  name: "gaps",
  turn: ({ shared: { database } }) => ({ flags: { limit: 0, ...database } }),
  load: async () => (await import("../gaps/command.ts")).step as NightStep<GapsFlags>,
};

/** The parts of a night in their order: sync, what else reads the node, the gaps that this left, and what follows. */
export async function nightParts(capabilities: readonly Capability[]): Promise<NightPart[]> {
  const parts = (await Promise.all(capabilities.map(async ({ nightParts }) => (await nightParts?.()) ?? []))).flat();
  return [syncPart, ...parts.filter(({ reads }) => reads), gapsPart, ...parts.filter(({ reads }) => !reads)] as NightPart[];
}
