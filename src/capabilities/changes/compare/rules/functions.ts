import { COMPATIBILITY, METADATA, type RuleData } from "./rule.ts";

const ERRORS = "move-stdlib/sources/error.move";
const VM = "third_party/move/move-vm/runtime/src/interpreter.rs";
const CLIENTS = "api/src/view_function.rs, api/src/transactions.rs";

/** Rules about functions; those that cannot be called from outside share one. Readers are concerned if a function can be a stored value. */
export const functionRules = {
  "function-removed": {
    title: "a function was removed",
    meaning: "Modules that call it no longer link, and transactions and view requests that name it fail.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "visibility-reduced": {
    title: "a function's visibility was reduced",
    meaning: "From public to friend or private, or from friend to private: modules that call it no longer link.",
    severity: { callers: "breaking", readers: "breaking" },
  },
  "entry-removed": {
    title: "a function lost its entry modifier",
    meaning: "Transactions that name it fail.",
    severity: { clients: "breaking" },
  },
  "view-removed": {
    title: "a function is no longer a view function",
    meaning: "Nodes refuse to run it as a view. The VM does not check this on an upgrade.",
    severity: { clients: "breaking" },
    upgrade: "allowed",
    source: CLIENTS,
  },
  "persistent-removed": {
    title: "a function can no longer be stored as a value",
    meaning: "Stored function values of it cannot be called. The VM treats persistent functions like public ones.",
    severity: { callers: "breaking", readers: "breaking" },
    source: `${COMPATIBILITY}, file_format.rs (FunctionAttribute)`,
  },
  "parameters-changed": {
    title: "a function's parameters changed",
    meaning: "Callers pass the old ones. Clients are not affected if only the way of passing signers changed, since they pass none.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "returns-changed": {
    title: "a function's results changed",
    meaning: "Modules that call it no longer link; clients expect a view's old results.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "type-parameters-changed": {
    title: "a function has another number of type parameters",
    meaning: "Calls give as many type arguments as it had.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "constraints-tightened": {
    title: "a function requires more abilities of a type argument",
    meaning: "Calls with types that lack the ability fail.",
    severity: { callers: "breaking", clients: "dangerous" },
  },
  "constraints-relaxed": {
    title: "a function requires fewer abilities of a type argument",
    meaning: "All calls that were valid stay valid.",
    severity: { callers: "safe", clients: "safe" },
  },
  "randomness-changed": {
    title: "a function's randomness attribute changed",
    meaning: "Without the attribute a transaction that uses randomness aborts; with it, or with another gas limit, a deposit is required.",
    severity: { clients: "dangerous" },
    source: METADATA,
  },
  "module-lock-changed": {
    title: "a function's module lock changed",
    meaning: "While a locking function runs, calls back into its module abort.",
    severity: { callers: "dangerous" },
    source: "file_format.rs (FunctionAttribute)",
  },
  "function-added": {
    title: "a function became callable",
    meaning: "It is new, or it was private.",
    severity: { callers: "safe", clients: "safe" },
  },
  "visibility-widened": {
    title: "a function can be called by more modules",
    meaning: "Friend became public, or an entry or view function that was private became friend or public.",
    severity: { callers: "safe" },
  },
  "entry-added": {
    title: "a function became an entry function",
    meaning: "Transactions can call it now.",
    severity: { clients: "safe" },
  },
  "view-added": {
    title: "a function became a view function",
    meaning: "Nodes run it as a view now.",
    severity: { clients: "safe" },
    source: CLIENTS,
  },
  "native-changed": {
    title: "a function became native, or is no longer native",
    meaning: "Its implementation was replaced.",
    severity: { callers: "silent", clients: "silent" },
  },
  "function-changed": {
    title: "a function has other instructions",
    meaning: "Callers still link, and it does something else: what it aborts with, reads, writes, moves, emits, calls or computes.",
    severity: { callers: "behaviour", clients: "behaviour" },
  },
  "abort-codes-changed": {
    title: "a function aborts with another code",
    meaning: "Clients that know the code, or its category, no longer recognize the error.",
    severity: { callers: "behaviour", clients: "dangerous" },
    source: ERRORS,
  },
  "always-aborts": {
    title: "a function always aborts",
    meaning: "It came back before; now each path through it ends in an abort, or in a function that always aborts.",
    severity: { callers: "breaking", clients: "breaking" },
    upgrade: "allowed",
    source: VM,
  },
  "check-removed": {
    title: "a check is gone",
    meaning: "It no longer aborts with a code that says that somebody may not do it, or not now: what relied on the check is open.",
    severity: { callers: "dangerous", clients: "dangerous" },
    source: ERRORS,
  },
  "check-added": {
    title: "a check is new",
    meaning: "It can abort with a code that says that somebody may not do it, or not now: what worked may fail.",
    severity: { callers: "dangerous", clients: "dangerous" },
    source: ERRORS,
  },
  "comparison-changed": {
    title: "a function compares in another way",
    meaning: "For example `<` where it was `<=`: the edge between two cases is another one.",
    severity: { callers: "behaviour", clients: "behaviour" },
    source: VM,
  },
  "constant-changed": {
    title: "a function has another constant",
    meaning: "One number or other literal stands in place of another, and all else is the same.",
    severity: { callers: "behaviour", clients: "behaviour" },
    source: VM,
  },
  "private-functions-changed": {
    title: "private functions were added, removed or changed",
    meaning: "They cannot be called from outside the module.",
    severity: { callers: "silent", clients: "silent" },
  },
} as const satisfies Record<string, RuleData>;
