import { COMPATIBILITY, METADATA, type Rule } from "./rule.ts";

const EVERYBODY = { callers: "silent", clients: "silent", readers: "silent" } as const;
const ERROR_MAP = `${METADATA} (extract_abort_info)`;
const CODE = "aptos-move/framework/aptos-framework/sources/code.move (check_upgradability)";

/** Rules about modules as a whole, their friends, their error codes, and their bytes. */
export const moduleRules = {
  "module-removed": {
    title: "a module is gone",
    meaning: "All that relied on it fails. On a chain in use that cannot happen; a testnet that begins anew shows it.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: CODE,
  },
  "module-renamed": {
    title: "the two are not the same module",
    meaning: "Two files were compared whose modules have different addresses or names.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    upgrade: "refused",
    source: COMPATIBILITY,
  },
  "module-added": {
    title: "a module is new",
    meaning: "Nothing can have relied on it.",
    severity: { callers: "safe", clients: "safe", readers: "safe" },
    upgrade: "allowed",
    source: CODE,
  },
  "friend-removed": {
    title: "a module is no friend any more",
    meaning: "It can no longer call friend functions.",
    severity: { callers: "dangerous" },
    upgrade: "refused where friends count",
    source: COMPATIBILITY,
  },
  "friend-added": {
    title: "a module has a new friend",
    meaning: "It can call friend functions now: worth a look where these guard something.",
    severity: { callers: "safe" },
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "error-code-reused": {
    title: "an abort code means something else",
    meaning: "Programs that act on the code, and people who read it, take it for what it was.",
    severity: { clients: "dangerous" },
    upgrade: "allowed",
    source: ERROR_MAP,
  },
  "error-code-renumbered": {
    title: "an error has another abort code",
    meaning: "Programs wait for the code that it had.",
    severity: { clients: "dangerous" },
    upgrade: "allowed",
    source: ERROR_MAP,
  },
  "error-map-removed": {
    title: "a module explains its abort codes no more",
    meaning: "Nodes show numbers where they showed names. It was built without error texts.",
    severity: { clients: "dangerous" },
    upgrade: "allowed",
    source: ERROR_MAP,
  },
  "error-code-removed": {
    title: "an error is gone",
    meaning: "The module may never abort with it again, or does so without a text.",
    severity: { clients: "safe" },
    upgrade: "allowed",
    source: ERROR_MAP,
  },
  "error-code-added": {
    title: "an error is new",
    meaning: "The module may abort for a new reason.",
    severity: { clients: "safe" },
    upgrade: "allowed",
    source: ERROR_MAP,
  },
  "error-text-changed": {
    title: "an error has another text",
    meaning: "Its code and its name are the same.",
    severity: { clients: "safe" },
    upgrade: "allowed",
    source: ERROR_MAP,
  },
  "dependencies-changed": {
    title: "a module refers to other modules than before",
    meaning: "Its code calls elsewhere.",
    severity: EVERYBODY,
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "code-changed": {
    title: "only code changed",
    meaning: "Everything that can be seen from outside is the same and the instructions are not: the upgrade that is easily missed.",
    severity: EVERYBODY,
    upgrade: "allowed",
    source: COMPATIBILITY,
  },
  "metadata-changed": {
    title: "only metadata changed",
    meaning: "All instructions and all declarations are the same byte for byte: another compiler version, other hidden attributes.",
    severity: EVERYBODY,
    upgrade: "allowed",
    source: METADATA,
  },
} as const satisfies Record<string, Rule>;
