import { COMPATIBILITY, METADATA, type Rule } from "./rule.ts";

const CLIENTS = "api/src/view_function.rs, api/src/transactions.rs";

/**
 * Rules about functions. Functions that nobody outside the module can call have none of their own. Readers are concerned
 * only where a function may be stored as a value.
 */
export const functionRules = {
  "function-removed": {
    title: "a function is gone",
    meaning: "Modules that call it no longer link, and transactions and view requests that name it fail.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "visibility-reduced": {
    title: "a function can be called by fewer modules",
    meaning: "Public became friend or private, or friend became private: modules that call it no longer link.",
    severity: { callers: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "entry-removed": {
    title: "a function is no entry function any more",
    meaning: "Transactions that name it fail.",
    severity: { clients: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "view-removed": {
    title: "a function is no view function any more",
    meaning: "Nodes refuse to run it as a view. The VM does not look at this when a module is upgraded.",
    severity: { clients: "breaking" },
    upgrade: "allowed",
    source: CLIENTS,
  },
  "persistent-removed": {
    title: "a function may not be stored as a value any more",
    meaning: "Function values of it that were stored cannot be called; the VM treats persistent functions like public ones.",
    severity: { callers: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: `${COMPATIBILITY}, file_format.rs (FunctionAttribute)`,
  },
  "parameters-changed": {
    title: "a function's parameters changed",
    meaning: "Calls pass the old ones. Clients are not concerned when only signers are passed in another way, since they give none.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "returns-changed": {
    title: "a function's results changed",
    meaning: "Modules no longer link; clients decode a view's old results.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "type-parameters-changed": {
    title: "a function has another number of type parameters",
    meaning: "Calls give as many type arguments as it had.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "constraints-tightened": {
    title: "a function demands more abilities of a type argument",
    meaning: "Calls with types that lack the ability fail.",
    severity: { callers: "breaking", clients: "dangerous" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "constraints-relaxed": {
    title: "a function demands fewer abilities of a type argument",
    meaning: "Every call that was good stays good.",
    severity: { callers: "safe", clients: "safe" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "randomness-changed": {
    title: "a function's promise about randomness changed",
    meaning:
      "Without the attribute a transaction that draws random numbers aborts; with it, or with another limit, a deposit is asked for.",
    severity: { clients: "dangerous" },
    upgrade: "allowed",
    source: METADATA,
  },
  "module-lock-changed": {
    title: "a function began or ceased to lock its module",
    meaning: "While a locking function runs, calls back into the module abort.",
    severity: { callers: "dangerous" },
    upgrade: "allowed",
    source: "file_format.rs (FunctionAttribute)",
  },
  "function-added": {
    title: "a function can be called that could not be",
    meaning: "It is new, or was private.",
    severity: { callers: "safe", clients: "safe" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "visibility-widened": {
    title: "a function can be called by more modules",
    meaning: "Friend became public, or an entry or view function that was private became friend or public.",
    severity: { callers: "safe" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "entry-added": {
    title: "a function became an entry function",
    meaning: "Transactions may name it now.",
    severity: { clients: "safe" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "view-added": {
    title: "a function became a view function",
    meaning: "Nodes run it as a view now.",
    severity: { clients: "safe" },
    upgrade: "allowed",
    source: CLIENTS,
  },
  "native-changed": {
    title: "a function is implemented elsewhere",
    meaning: "It was native and is Move code now, or the other way round.",
    severity: { callers: "silent", clients: "silent" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "acquires-changed": {
    title: "a function touches other resources of its module",
    meaning: "Calls link as before; what it reads and writes differs.",
    severity: { callers: "silent", clients: "silent" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "private-functions-changed": {
    title: "private functions came, went or changed",
    meaning: "Nobody outside the module can call them.",
    severity: { callers: "silent", clients: "silent" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
} as const satisfies Record<string, Rule>;
