import type { JsonSchema } from "../../src/base/document/result.ts";
import { viewList } from "../../src/schema/views/views.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

// What a name means is the same in every command, so a name alone says what kind of value it has.
const VERSIONS = words("since last_read above_horizon gone_in_a_day_below gone_in_a_day_below_at_worst");
const NO_LEDGER_VERSIONS = words("app_version version");
const TRUTHS = words("ok fit held urgent pruned known dry_run given_up no_newer_state alive success carried_is_cut");
const NUMBERS = words(`usefulness usefulness_of_round_robin known_within_a_day requests_per_second per_second
  horizon_versions_per_second horizon_versions_per_second_at_worst`);
const TEXTS = words(`added_by answer app_version arch archive audience before after by callee caller change code_hex command compiler_abort
  consequence content database depth_of_change description directory engine example exit expected fault file found from_key to_key function
  function_told hears_nothing how item item_kind job kept_aside kind label level limits meaning message metrics module name name_by_node node
  node_build operator part_of path place platform problem question reason row rule section severity slice source sql sqlite status state
  stopped_by struct subject summary table target text to type upgrade upstream url value verdict version via vm_status why worker between
  instantiation user word`);
const U64S = words("code head_risen_by");

/** The kinds of values, each with its schema. */
export const kinds = {
  version: { type: "string", pattern: "^[0-9]+$" },
  u64: { type: "string", pattern: "^-?[0-9]+$" },
  moment: { type: "string", format: "date-time", pattern: "Z$" },
  address: { type: "string", pattern: "^0x[0-9a-f]{1,64}$" },
  sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
  truth: { type: "boolean" },
  text: { type: "string" },
  number: { type: "number" },
  count: { type: "integer" },
} as const satisfies Readonly<Record<string, JsonSchema>>;
export type KindName = keyof typeof kinds;

/** What kind of value has this name. */
export function kindOf(name: string): KindName {
  if (VERSIONS.has(name) || (/(?:^|_)version$/.test(name) && !NO_LEDGER_VERSIONS.has(name))) return "version";
  if (U64S.has(name)) return "u64";
  if (/_(?:at|time)$/.test(name)) return "moment";
  if (/(?:^|_)sha256$|digest$/.test(name)) return "sha256";
  if (name === "address") return "address";
  if (/^(?:is|has)_/.test(name) || TRUTHS.has(name)) return "truth";
  if (NUMBERS.has(name)) return "number";
  return TEXTS.has(name) ? "text" : "count";
}

const meanings = Map.groupBy(
  viewList.flatMap(({ columns }) => Object.entries(columns)),
  ([name]) => name,
);

const COLUMNS = words(`chain_id address after_version at_or_before_version is_exact from_sha256 to_sha256 from_key to_key wanted_time
  time_error_ms http_status app_version`);

/** What the public views say of a column, where it is the same thing in every view and every command. */
export function meaningOf(name: string): string | undefined {
  if (!COLUMNS.has(name)) return undefined;
  const said = new Set(meanings.get(name)?.map(([, { meaning }]) => meaning));
  return said.size === 1 ? [...said][0] : undefined;
}
