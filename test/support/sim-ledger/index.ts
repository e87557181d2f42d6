export * as faults from "./faults/index.ts";
export { type History, replayHistory } from "./history.ts";
export { SimLedger } from "./ledger.ts";
export { manyAccounts } from "./many-accounts.ts";
export { createSampleLedger, type SampleLedger } from "./sample/index.ts";
export { type SimNode, type SimNodeOptions, startSimNode } from "./server.ts";
