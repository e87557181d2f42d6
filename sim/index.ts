export * as faults from "./faults/index.ts";
export { type History, liveHistory, replayHistory } from "./ledger/history.ts";
export { SimLedger } from "./ledger/ledger.ts";
export { manyAccounts } from "./ledger/many-accounts.ts";
export { createSampleLedger, type SampleLedger } from "./sample/index.ts";
export { type SimNode, type SimNodeOptions, startSimNode } from "./server.ts";
