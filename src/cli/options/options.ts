import { InvalidArgumentError } from "commander";
import type { NodeGeneration } from "../../abi/node-json/format.ts";
import { parseDuration } from "../../base/time/duration.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import type { Edge, Step } from "../../crawl/backfill/backfill-points.ts";
import type { RecordCadence } from "../../crawl/cadence/record-cadence.ts";
import type { VersionRequest } from "../../crawl/night/pin.ts";
import { type Address, parseAddress } from "../../move/address.ts";

/** `N`, `latest` or `-N`. */
export function parseVersionRequest(text: string): VersionRequest {
  if (text === "latest") return { kind: "latest" };
  const versions = parseU64(text.startsWith("-") ? text.slice(1) : text);
  if (versions === undefined || versions > LEDGER_VERSION_MAX) {
    throw new InvalidArgumentError("Give a ledger version, latest, or -N for N versions before the newest.");
  }
  return text.startsWith("-") ? { kind: "behind", versions } : { kind: "exact", version: versions };
}

/** The parser of an option that may be repeated: its values become a list. */
export function repeatable<Value>(parse: (text: string) => Value): (text: string, previous: readonly Value[] | undefined) => Value[] {
  return (text, previous) => [...(previous ?? []), parse(text)];
}

export function parseVersion(text: string): bigint {
  const version = parseU64(text);
  if (version === undefined || version > LEDGER_VERSION_MAX) throw new InvalidArgumentError("Give a ledger version.");
  return version;
}

/** A count of ledger versions, 0 or more. */
export function parseVersionCount(text: string): bigint {
  const value = parseU64(text);
  if (value === undefined || value > LEDGER_VERSION_MAX) throw new InvalidArgumentError("Give a number of ledger versions.");
  return value;
}

export function parseAccount(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new InvalidArgumentError("Give an account address: 0x and 1 to 64 hex digits.");
  return address;
}

/** Account addresses, in an option that may be repeated. */
export const collectAddress = repeatable(parseAccount);

/** How often account records are read: code alone is one request instead of two. */
export const recordsChoice = [
  "--records <when>",
  "how often to read account records (default: nightly)",
  ["nightly", "weekly", "never"] satisfies RecordCadence[],
] as const;

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** Requests per second: a number, 0 for no limit. */
export function parseRate(text: string): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new InvalidArgumentError("Give requests per second; 0 means no limit.");
  return value;
}

/** Requests per second for all who share a rate: a number above 0. */
export function parseSharedRate(text: string): number {
  const value = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0)) throw new InvalidArgumentError("Give requests per second: a number above 0 with at most 3 decimals.");
  return value;
}

/** A duration such as `90s`, `30m`, `6h`, to milliseconds. */
export function parseDurationOption(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError("Give a duration such as 90s, 30m or 6h.");
  return ms;
}

/** A moment with a date and perhaps a time, in UTC unless it says otherwise. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** `1d`, `12h`, `30m`: a stretch of time; a plain number: versions. */
export function parseStep(text: string): Step {
  const versions = parseU64(text);
  if (versions !== undefined && versions > 0n && versions <= LEDGER_VERSION_MAX) return { versions };
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1000) return { ms: Math.round(ms) };
  throw new InvalidArgumentError("Give a time such as 1d or 12h, or a number of versions.");
}

/** A ledger version, `genesis` for the first, `-N` for N below the newest, or a moment such as `2026-11-20` or `2026-11-20T04:00`. */
export function parseEdge(text: string): Edge {
  if (text === "genesis") return { version: 0n };
  const versions = parseU64(text.startsWith("-") ? text.slice(1) : text);
  if (versions !== undefined && versions <= LEDGER_VERSION_MAX) return text.startsWith("-") ? { behind: versions } : { version: versions };
  const atMs = MOMENT.test(text) ? Date.parse(/T\d\d:\d\d(?::\d\d)?$/.test(text) ? `${text}Z` : text) : Number.NaN;
  if (Number.isFinite(atMs) && atMs >= 0) return { atMs };
  throw new InvalidArgumentError("Give a ledger version, -N for N versions before the newest, or a UTC time such as 2026-11-20T04:00.");
}

/** `name=value`, added to those given before. */
export function collectParameter(text: string, previous: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text);
  if (!match) throw new InvalidArgumentError("Give name=value.");
  return { ...previous, [match[1] as string]: match[2] as string };
}

/** How often an account is tried before its gap is parked, unless it is said otherwise: four nights of three rounds each. */
export const GAP_TRIES = 12;

/** The release of the chain's nodes, by which an upgrade is judged. */
export const nodeGenerationChoice = [
  "--node-generation <letter>",
  "the node release: A 2024, B and C 2025, D 2026 (default: as the archive saw it)",
  ["A", "B", "C", "D"] satisfies NodeGeneration[],
] as const;
