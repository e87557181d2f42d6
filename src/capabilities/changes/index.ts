import type { Capability } from "../../core/cli/capability.ts";

export const changes: Capability = {
  name: "changes",
  needs: ["effects", "uses"],
  afterSeal: async () => {
    const { judgeChanges } = await import("./judge/judge.ts");
    return ({ engine, signal }) => judgeChanges(engine, signal);
  },
  derivedRows: async () => (await import("./judge/check-judgements.ts")).judgedRows,
};
