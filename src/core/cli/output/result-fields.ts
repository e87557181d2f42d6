import {
  all,
  anything,
  type Fields,
  from,
  list,
  maybe,
  named,
  number,
  object,
  orNull,
  printed,
  text,
  time,
  whole,
  word,
} from "../../base/result.ts";
import { type ExitName, exitCodes } from "../../exit-codes.ts";

/** The ledger's own time of a version, and its error. */
export const madeAt = { ledger_time: orNull(time), ledger_time_error_ms: orNull(whole) };

export const snapshotStatus = word("sealed", "sealed_with_gaps", "unsealed", "abandoned");

/** What nights under a budget come to. */
export const outlook = {
  usefulness: orNull(number),
  usefulness_of_round_robin: from("ofRoundRobin", orNull(number)),
  known_within_a_day: from("knownWithinDay", orNull(number)),
  greatest_age_ms: from("ageMs", orNull(whole)),
  greatest_age_wanted_ms: from("wantedAgeMs", whole),
  requests_for_greatest_age: from("requestsForAge", whole),
};

export const exitWord = word(...(Object.keys(exitCodes) as ExitName[]), "left out");

/** What a command prints that runs for several networks, each with fields of its own. */
export function ofNetworks(fields: Fields) {
  const own = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, isOptional: true }]));
  const network = object({ ...all(text, "section", "database"), ...own, exit: exitWord, exit_code: orNull(whole), error: maybe(anything) });
  return object({ exit: exitWord, exit_code: whole, networks: list(printed(network)) });
}

/** What every command prints instead when it fails. */
export const failure = object({ error: object({ code: text, message: text, facts: named(anything) }) });
