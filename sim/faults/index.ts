export { compressionBomb, jsonBomb } from "./bombs.ts";
export {
  circularCursor,
  cutText,
  emptyPage,
  falseHead,
  lyingLength,
  malformedHeader,
  nullAbi,
  repeatedModule,
  repeatedPage,
  stuckCursor,
  trailingBytes,
  withoutLedgerHeaders,
  wrongChain,
} from "./corruption.ts";
export type { Fault, FaultPlan } from "./fault.ts";
export { mixedFaults } from "./mixed.ts";
export { type PlannedFault, planFaults } from "./plan.ts";
export {
  archiveHint,
  bcsNotSupported,
  errorInSuccess,
  formatDisabled,
  gatewayPage,
  prunedState,
  redirect,
  storageFailure,
  storageFailures,
  tooManyRequests,
  unauthorized,
  unavailable,
  unknownError,
} from "./refusals.ts";
export { balancer, meanwhile, nodeBehind, otherStorage } from "./scenes.ts";
export { cutBody, cutChunks, drip, endlessBody, late, resetAfterHeaders, resetBeforeHeaders, silence, stall } from "./transport.ts";
