import { COMPATIBILITY, METADATA, type RuleData } from "./rule.ts";

const EVERYBODY = { callers: "silent", clients: "silent", readers: "silent" } as const;
const ERROR_MAP = `${METADATA} (extract_abort_info)`;
const CODE = "aptos-move/framework/aptos-framework/sources/code.move (check_upgradability)";

/** Rules about modules as a whole, their friends, their error codes, and their bytes. */
export const moduleRules = {
  "module-removed": {
    title: "a module was removed",
    meaning: "Everything that uses it fails. No chain allows it; it appears when a test network starts over.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
    source: CODE,
  },
  "module-renamed": {
    title: "the modules have different addresses or names",
    meaning: "Two files of different modules were compared.",
    severity: { callers: "breaking", clients: "breaking", readers: "breaking" },
  },
  "module-added": {
    title: "a module was added",
    meaning: "Nothing can depend on it yet.",
    severity: { callers: "safe", clients: "safe", readers: "safe" },
    source: CODE,
  },
  "friend-removed": {
    title: "a friend was removed",
    meaning: "That module can no longer call friend functions.",
    severity: { callers: "dangerous" },
    upgrade: "refused where friends count",
  },
  "friend-added": {
    title: "a friend was added",
    meaning: "That module can now call friend functions, which matters if they protect something.",
    severity: { callers: "safe" },
  },
  "error-code-reused": {
    title: "an abort code has another meaning",
    meaning: "Programs and people that know the code misinterpret it.",
    severity: { clients: "dangerous" },
    source: ERROR_MAP,
  },
  "error-code-renumbered": {
    title: "an error has another abort code",
    meaning: "Programs expect the old code.",
    severity: { clients: "dangerous" },
    source: ERROR_MAP,
  },
  "error-map-removed": {
    title: "the error map was removed",
    meaning: "Nodes show numbers instead of names. The module was built without error descriptions.",
    severity: { clients: "dangerous" },
    source: ERROR_MAP,
  },
  "error-code-removed": {
    title: "an error was removed",
    meaning: "The module no longer aborts with it, or does so without a description.",
    severity: { clients: "safe" },
    source: ERROR_MAP,
  },
  "error-code-added": {
    title: "an error was added",
    meaning: "The module may abort for a new reason.",
    severity: { clients: "safe" },
    source: ERROR_MAP,
  },
  "error-text-changed": {
    title: "an error has another description",
    meaning: "Its code and its name are unchanged.",
    severity: { clients: "safe" },
    source: ERROR_MAP,
  },
  "dependencies-changed": {
    title: "a module depends on other modules",
    meaning: "Its code uses modules that it did not use before, or no longer uses some.",
    severity: EVERYBODY,
  },
  "code-changed": {
    title: "functions have other instructions",
    meaning:
      "Their declarations may be the same while they do something else: the upgrade that is easily missed. Instructions are compared by what they name.",
    severity: EVERYBODY,
  },
  "function-type-renumbered": {
    title: "a function type names a struct that stands at another place in its table",
    meaning: "The types are the same. Nodes of generation B compare them by that place, which moves when a struct is added.",
    severity: EVERYBODY,
    upgrade: "refused by generation B",
    source: `${COMPATIBILITY} (signature_token_compatible before #17172)`,
  },
  "encoding-changed": {
    title: "only the encoding changed",
    meaning: "Instructions and declarations are the same: another bytecode version, another order of tables, other metadata.",
    severity: EVERYBODY,
    source: "third_party/move/move-binary-format/src/file_format_common.rs (versions)",
  },
  "metadata-changed": {
    title: "only metadata changed",
    meaning: "Everything else is the same byte for byte: for example another compiler version.",
    severity: EVERYBODY,
    source: METADATA,
  },
} as const satisfies Record<string, RuleData>;
