export * as faults from "./faults/index.ts";
export type { Generation } from "./generation.ts";
export { type History, type Release, replayHistory } from "./history.ts";
export { type LedgerOptions, type LedgerWriter, SimLedger } from "./ledger.ts";
export { type ManyAccounts, manyAccounts } from "./many-accounts.ts";
export { ModuleCode } from "./module-code.ts";
export { createSampleLedger, type DayOfChanges, type SampleLedger } from "./sample/index.ts";
export { type RequestRecord, type SimNode, type SimNodeOptions, startSimNode } from "./server.ts";
