import type { JsonSchema } from "../../src/base/document/result.ts";
import { exitCodes } from "../../src/exit-codes.ts";
import { any, count, either, list, named, object, text, together, version, word } from "./shape.ts";

const exit = word(...Object.keys(exitCodes), "left out");
const time = object("ledger_time~ ledger_time_error_ms~");
const bounds = together(object("after_version at_or_before_version is_exact"), time);
const status = word("sealed", "sealed_with_gaps", "unsealed", "abandoned");
const outlook = object(`usefulness~ usefulness_of_round_robin~ known_within_a_day~ greatest_age_ms~ greatest_age_wanted_ms
  requests_for_greatest_age`);
const perhaps = (shape: JsonSchema): JsonSchema => ({ ...shape, required: [] });

/** What a run prints whose budget ended in its first questions. */
const spent = object("stopped_by requests retries bytes_received");

const sync = either(
  together(
    object(
      `chain_id ledger_version status accounts modules new_bytecodes empty_accounts changed_modules requests retries bytes_received gaps
      digest~ duration_ms stopped_by? modules_doubtful? modules_undecoded? accounts_left? accounts_before? accounts_passed_over? records_unread?
      targets? targets_never_read? oldest_reading_ms?~ median_reading_ms?~ head_version? head_age_ms? head_risen_by?~ no_newer_state? gaps_retried?
      gaps_filled? abis_compared? abis_explained? abi_findings? node_build?~`,
      { status },
    ),
    perhaps(outlook),
  ),
  together(
    object(
      `dry_run chain_id ledger_version held accounts accounts_passed_over? requests_at_least duration_ms~ paces bytes_received~
      bytes_stored~ above_horizon unfinished`,
      {
        paces: list(object("name per_second duration_ms")),
        unfinished: list(object("ledger_version accounts_left pruned")),
        above_horizon: version,
      },
    ),
    perhaps(outlook),
  ),
  spent,
);

const point = object("ledger_version wanted_time~ time_error_ms~");
const backfill = either(
  object(`archive? chain_id versions observed inferred gaps refused planned lost lost_now stopped_by~ requests duration_ms`, {
    versions: list(together(point, object("state reason~ accounts_read accounts_inferred"))),
  }),
  object("archive? dry_run chain_id versions requests duration_ms~", {
    versions: list(together(point, object("accounts refused~", { refused: word("pruned", "time", "budget") }))),
  }),
  spent,
);

const openChange = object("address module~ after_version at_or_before_version");
const trace = either(
  object("archive? changes exact inexact stopped_by~ probes least_probes requests duration_ms", {
    changes: list(
      together(
        openChange,
        time,
        object("kind is_exact from_sha256?~ to_sha256?~ from_key?~ to_key?~ state reason~ probes least_probes", {
          kind: word("module", "authentication_key"),
          state: word("exact", "open", "unreadable", "behind", "failed"),
        }),
      ),
    ),
  }),
  object("dry_run changes least_probes", { changes: list(openChange) }),
  spent,
);

const step: JsonSchema = {
  ...object("name exit exit_code~ duration_ms error?", { exit, error: object("code message", { code: text }) }),
  additionalProperties: { type: ["string", "number", "boolean", "null"] },
};
const night = object("job exit exit_code duration_ms totals? steps", {
  exit,
  totals: object(`accounts~ accounts_left~ accounts_before~ accounts_passed_over~ oldest_reading_ms~ usefulness~ usefulness_of_round_robin~
    greatest_age_ms~ greatest_age_wanted_ms~ requests_for_greatest_age~ changed_modules~ modules_undecoded~ modules_doubtful~ gaps~ lost
    inexact_changes~ versions_left~ head_age_ms~ alerts_told~ alerts_waiting~ watches_dead~`),
  steps: list(step),
});
const nightPlan = object("job dry_run steps", { steps: list(object("name argv", { argv: list(text) })) });
const doctor = object("fit findings settings", {
  findings: list(object("state subject text", { state: word("ok", "warn", "fail") })),
  settings: list(object("name value source")),
});
/** What a settings file of several networks makes of a command. */
const ofNetworks = (shape: JsonSchema): JsonSchema =>
  object("exit exit_code networks", {
    exit,
    networks: list(together(object("section database exit exit_code", { exit }), perhaps(shape), object("error?", { error: any }))),
  });

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

const snapshot = together(object("ledger_version status accounts modules gaps digest~", { status }), time);
const change = together(object("address module from_sha256~ to_sha256~"), bounds);
const newAccount = object("address ledger_version");
const report = together(
  object(
    `chain_id~ after_version~ up_to_version~ snapshots older_snapshots gaps new_accounts first_read_accounts modules_added
    modules_abi_changed modules_bytes_changed modules_changed_unclear modules_removed items_renamed keys_rotated alerts
    modules_compared~
    changes_by_severity modules_breaking modules_dangerous modules_behaviour~ lists`,
    {
      changes_by_severity: object("breaking? unclear? dangerous? behaviour? safe? silent?"),
      lists: object(
        `behaviour carried breaks alerts snapshots older_snapshots new_accounts first_read_accounts modules_added modules_abi_changed
        modules_bytes_changed modules_changed_unclear modules_removed items_renamed keys_rotated`,
        {
          behaviour: list(object("module functions", { functions: list(text) })),
          carried,
          breaks: list(changedModule),
          alerts: list(
            together(
              object("alert watch subject severity address module from_sha256~ to_sha256~ shown_by_version", {
                severity: word(...levels, "unclear"),
              }),
              bounds,
            ),
          ),
          snapshots: list(snapshot),
          older_snapshots: list(snapshot),
          new_accounts: list(newAccount),
          first_read_accounts: list(newAccount),
          modules_added: list(change),
          modules_abi_changed: list(change),
          modules_bytes_changed: list(change),
          modules_changed_unclear: list(change),
          modules_removed: list(change),
          items_renamed: list(
            together(
              object("address module item_kind from_name to_name", {
                item_kind: word("function", "struct"),
                from_name: text,
                to_name: text,
              }),
              bounds,
            ),
          ),
          keys_rotated: list(together(object("address from_key~ to_key~"), bounds)),
        },
      ),
    },
  ),
  perhaps(outlook),
);

const gapCounts = object("open parked final");
const gaps = together(
  gapCounts,
  object("snapshots unfinished gaps", {
    snapshots: list(together(object("ledger_version given_up?"), gapCounts)),
    unfinished: list(object("ledger_version status accounts_left gaps", { status })),
    gaps: list(
      together(
        object("ledger_version address reason error_code~ http_status~ attempts state message", {
          error_code: text,
          state: word("open", "parked", "final"),
        }),
        time,
      ),
    ),
  }),
);

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
  sync: { document: sync },
  work: { document: either(object("ledger_versions traces requests duration_ms", { ledger_versions: list(version) }), spent) },
  night: { document: either(night, nightPlan, ofNetworks(night), ofNetworks(nightPlan)) },
  backfill: { document: backfill },
  trace: { document: trace },
  doctor: { document: either(doctor, object("forgotten head_version"), ofNetworks(doctor)) },
  diff: { document: diff },
  check: { document: check },
  uses: { document: uses },
  tell: {
    document: object("watches~ watches_dead changes_judged~ alerts~ told waiting alerts_untold places_failed places", {
      places: list(object("name messages waiting fault~ told")),
    }),
  },
  explain: { document: explain },
  search: { document: search },
  report: { document: report },
  gaps: { document: gaps },
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
  site: {
    document: object("directory expected files~ written~ deleted~ bytes~", { expected: object("files bytes duration_ms duration_max_ms") }),
  },
  export: { document: exported },
  import: {
    document: either(
      object("path kind chain_id~ digest~ snapshots new_snapshots accounts new_answers new_bytecodes findings"),
      object("path kind files new_bytecodes skipped"),
    ),
  },
  version: { document: object("version node engine sqlite platform arch newest_release?~", { engine: word("sqlite", "postgresql") }) },
};

/** What every command prints instead when it fails. */
export const failure = object("error", { error: object("code message facts", { code: text, facts: named(any) }) });
