import type { JsonSchema } from "../../src/base/document/result.ts";
import { any, count, either, list, named, object, text, together, version, word } from "./shape.ts";

/** What a run prints whose budget ended in its first questions. */
const spent = object("stopped_by requests retries bytes_received");

const levels = ["breaking", "dangerous", "behaviour", "safe", "silent"];
const severity = word(...levels);
const finding = object("rule severity audiences item_kind item~ before~ after~ upgrade users? user_functions?", {
  severity,
  audiences: object("callers? clients? readers?", { callers: severity, clients: severity, readers: severity }),
  users: list(text),
  user_functions: list(text),
});
const line = object("change index~ text", { change: word("same", "removed", "added"), index: count });
const changedModule = object("address module depth from_sha256~ to_sha256~ renamed findings code?", {
  depth: text,
  renamed: list(object("kind from to", { kind: word("function", "struct"), from: text, to: text })),
  findings: list(finding),
  code: either(
    object("functions left_out", { functions: list(object("function change hunks", { hunks: list(list(line)) })) }),
    object("unreadable", { unreadable: text }),
  ),
});
const carried = list(object("chain what", { chain: list(text), what: text }));
const incomparable = list(object("subject~ reason"));
const diff = object("before after unchanged findings refused modules carried~ carried_is_cut~ incomparable usage~", {
  findings: object("breaking dangerous behaviour safe silent"),
  modules: list(changedModule),
  carried,
  incomparable,
  usage: object("ledger_version accounts gaps"),
});
const problem = "item_kind item~";
const check = object("verdict summary checked not_checked upgrade links plan problems unlinked dependencies~ missing", {
  checked: list(text),
  not_checked: list(text),
  upgrade: diff,
  links: list(object(`module target ${problem} expected found~`, { found: text })),
  plan: list(object("address modules is_dependency", { modules: list(text) })),
  problems: list(object(`rule by module ${problem} reason source`, { by: word("chain", "compiler") })),
  unlinked: incomparable,
  dependencies: diff,
  missing: list(text),
});

const category = object("number name meaning", { number: count });
const abort = object("code code_hex reason category~ compiler_abort?", { category });
const namedCode = object("name~ description~");
const explain = either(
  abort,
  object("vm_status success"),
  object("status code~"),
  object("status code kind meaning consequence"),
  object("name errors", { errors: list(object("address module code description last_version~")) }),
  list(object("code name description")),
  together(
    object("address module ledger_version name_by_node~ meanings", {
      meanings: list(together(object("from_version to_version~ known"), namedCode)),
    }),
    abort,
    namedCode,
  ),
  object("address~ module~ function_told~ code_offset function~ status~ reason"),
  object("address~ module~ function_told~ code_offset ledger_version function other_functions status~ why~ instructions", {
    other_functions: list(text),
    instructions: list(object("index text", { index: count })),
  }),
);

const search = object("words named instead_of~ results has_more is_cut", {
  words: list(text),
  named: list(
    either(
      object("kind address label~"),
      object("kind address module ledger_version sha256"),
      object("kind ledger_version is_exact"),
      object("kind code category~ address~ module~ name~ description~ candidates", {
        category: text,
        candidates: list(object("address module name description")),
      }),
    ),
  ),
  instead_of: list(text),
  results: list(object("kind address module name~ code~ text~ first_version~ last_version~")),
});

const uses = either(
  object("ledger_version functions calls unreadable is_cut", {
    functions: list(object("address module function depth")),
    calls: list(object("caller callee is_call? is_function_value? instantiations?", { instantiations: list(text) })),
    unreadable: list(text),
  }),
  object("ledger_version struct functions modules unreadable", {
    functions: list(object("function how", { how: list(text) })),
    modules: list(text),
    unreadable: list(text),
  }),
);

const copied = object("bytes database_bytes sha256 snapshots newest_version~ newest_digest~ is_older");
const exported = either(
  object("directory part~ content~ snapshots files rows bytes", { part: count }),
  object("directory ledger_version files changed absent surplus missing", {
    changed: list(text),
    absent: list(text),
    surplus: list(text),
    missing: list(text),
  }),
);

/** What a command prints for programs: one document, or a list whose entries `--jsonl` prints by themselves. */
export type Contract = { readonly document: JsonSchema } | { readonly entry: JsonSchema };

/** The contract of each command, by its name. */
export const contracts: Readonly<Record<string, Contract>> = {
  work: { document: either(object("ledger_versions traces requests duration_ms", { ledger_versions: list(version) }), spent) },
  check: { document: check },
  uses: { document: uses },
  tell: {
    document: object("watches~ watches_dead changes_judged~ alerts~ told waiting alerts_untold places_failed places", {
      places: list(object("name messages waiting fault~ told")),
    }),
  },
  explain: { document: explain },
  search: { document: search },
  verify: {
    document: object("ok stopped_by~ slice checked findings_count repair~ sample~ findings", {
      checked: named(count),
      slice: text,
      repair: object("views bytecodes unreadable modules_derived", { bytecodes: list(text), unreadable: named(text) }),
      sample: object("drawn agree unread", { unread: named(count) }),
      findings: list(object("table row problem")),
    }),
  },
  backup: {
    document: either(
      together(object("file removed"), copied),
      object("dry_run file kept surplus", { kept: list(text), surplus: list(text) }),
    ),
  },
  restore: { document: together(object("database kept_aside~"), copied) },
  serve: { document: object("url database between upstream~ metrics") },
  export: { document: exported },
  import: {
    document: either(
      object("path kind chain_id~ digest~ snapshots new_snapshots accounts new_answers new_bytecodes findings"),
      object("path kind files new_bytecodes skipped"),
    ),
  },
  version: { document: object("version node engine sqlite platform arch", { engine: word("sqlite", "postgresql") }) },
};

/** What every command prints instead when it fails. */
export const failure = object("error", { error: object("code message facts", { code: text, facts: named(any) }) });
