import { InvalidArgumentError } from "commander";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/numbers.ts";
import { parseDuration } from "../../base/time.ts";
import type { VersionRequest } from "../../crawl/night/tonight.ts";
import { parseAddress } from "../../move/address.ts";

/** The parser of an option's value: what `read` makes of the text, else a complaint that says what to give. */
export function parserOf<Value>(read: (text: string) => Value | undefined, wanted: string): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(wanted);
    return value;
  };
}

/** The parser of an option that may be repeated: its values become a list. */
export function repeatable<Value>(parse: (text: string) => Value): (text: string, previous: readonly Value[] | undefined) => Value[] {
  return (text, previous) => [...(previous ?? []), parse(text)];
}

export function readVersion(text: string): bigint | undefined {
  const version = parseU64(text);
  return version !== undefined && version <= LEDGER_VERSION_MAX ? version : undefined;
}

export const parseVersion = parserOf(readVersion, "Give a ledger version.");

export const parseVersionCount = parserOf(readVersion, "Give a number of ledger versions.");

/** `N`, `latest` or `-N`. */
export const parseVersionRequest = parserOf((text): VersionRequest | undefined => {
  if (text === "latest") return { kind: "latest" };
  const version = readVersion(text.replace(/^-/, ""));
  if (version === undefined) return undefined;
  return text.startsWith("-") ? { kind: "behind", versions: version } : { kind: "exact", version };
}, "Give a ledger version, latest, or -N for N versions before the newest.");

export const ADDRESS_WANTED = "Give an account address: 0x and 1 to 64 hex digits.";

export const parseAccount = parserOf(parseAddress, ADDRESS_WANTED);

export const collectAddress = repeatable(parseAccount);

export const collectWord = repeatable((text) => text);

/** An option without its dashes, by what commander calls its value: `max-requests` of `maxRequests`. */
export function optionName(value: string): string {
  return value.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  const isWanted = (text: string): boolean => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return parserOf((text) => (isWanted(text) ? Number(text) : undefined), `Give a whole number from ${min} to ${max}.`);
}

export const parseRate = parserOf(
  (text) => (/^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
  "Give requests per second; 0 means no limit.",
);

/** A duration such as `90s`, `30m`, `6h`, to milliseconds. */
export const parseDurationOption = parserOf((text) => {
  const ms = parseDuration(text);
  return ms !== undefined && ms > 0 ? ms : undefined;
}, "Give a duration such as 90s, 30m or 6h.");

export function collectParameter(text: string, previous: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text);
  if (!match) throw new InvalidArgumentError("Give name=value.");
  return { ...previous, [match[1] as string]: match[2] as string };
}

/** How often an account is tried before its gap is parked, unless it is said otherwise: four nights of three rounds each. */
export const GAP_TRIES = 12;
