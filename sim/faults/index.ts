export * from "./bombs.ts";
export * from "./corruption.ts";
export type { Fault, FaultPlan } from "./fault.ts";
export { mixedFaults } from "./mixed.ts";
export { type PlannedFault, planFaults } from "./plan.ts";
export * from "./refusals.ts";
export * from "./scenes.ts";
export * from "./transport.ts";
