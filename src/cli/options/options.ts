import { InvalidArgumentError, Option } from "commander";
import { printable } from "../../base/printable.ts";
import { parseDuration } from "../../base/time/duration.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import type { RecordCadence } from "../../crawl/cadence/record-cadence.ts";
import type { VersionRequest } from "../../crawl/night/pin.ts";
import { type Address, parseAddress } from "../../move/address.ts";

/** `N`, `latest` or `-N`. */
export function parseVersionRequest(text: string): VersionRequest {
  if (text === "latest") return { kind: "latest" };
  const versions = parseU64(text.startsWith("-") ? text.slice(1) : text);
  if (versions === undefined || versions > LEDGER_VERSION_MAX) {
    throw new InvalidArgumentError(
      `wanted a ledger version, \`latest\`, or \`-N\` for N below the newest; found \`${printable(text, 60)}\`.`,
    );
  }
  return text.startsWith("-") ? { kind: "behind", versions } : { kind: "exact", version: versions };
}

/** A ledger version, added to those given before. */
export function collectVersion(text: string, previous: readonly bigint[] | undefined): bigint[] {
  const version = parseU64(text);
  if (version === undefined || version > LEDGER_VERSION_MAX)
    throw new InvalidArgumentError(`wanted a ledger version, found \`${printable(text, 60)}\`.`);
  return [...(previous ?? []), version];
}

/** A count of ledger versions, 0 or more. */
export function parseVersionCount(text: string): bigint {
  const value = parseU64(text);
  if (value === undefined || value > LEDGER_VERSION_MAX)
    throw new InvalidArgumentError(`wanted a whole number of ledger versions, found \`${printable(text, 60)}\`.`);
  return value;
}

/** An account address, added to those given before (the option may be repeated). */
export function collectAddress(text: string, previous: readonly Address[] | undefined): Address[] {
  const address = parseAddress(text);
  if (address === undefined) {
    throw new InvalidArgumentError(`wanted an account address (0x and 1 to 64 hex digits), found \`${printable(text, 80)}\`.`);
  }
  return [...(previous ?? []), address];
}

/** How often account records are read: code alone is one request instead of two. */
export function recordsOption(): Option {
  const words = "how often to read account records beside the code: nightly, weekly, or never (default: nightly)";
  return new Option("--records <when>", words).choices(["nightly", "weekly", "never"] satisfies RecordCadence[]);
}

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`wanted a whole number from ${min} to ${max}, found \`${printable(text, 60)}\`.`);
    return value;
  };
}

/** Requests per second: a number, 0 for no limit. */
export function parseRate(text: string): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new InvalidArgumentError(`wanted requests per second (0 is no limit), found \`${printable(text, 60)}\`.`);
  return value;
}

/** Requests per second for all who share a rate: a number above 0. */
export function parseSharedRate(text: string): number {
  const value = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0))
    throw new InvalidArgumentError(`wanted requests per second above 0, to the thousandth; found \`${printable(text, 60)}\`.`);
  return value;
}

/** A duration such as `90s`, `30m`, `6h`, to milliseconds. */
export function parseDurationOption(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0)
    throw new InvalidArgumentError(`wanted a duration such as \`90s\`, \`30m\` or \`6h\`, found \`${printable(text, 60)}\`.`);
  return ms;
}

/** `name=value`, added to those given before. */
export function collectParameter(text: string, previous: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text);
  if (!match) throw new InvalidArgumentError(`wanted name=value, found \`${printable(text, 80)}\`.`);
  return { ...previous, [match[1] as string]: match[2] as string };
}

/** The option that names the database. */
export const dbOption = ["--db <file>", "the database (default: DATABASE_URL, else movedex.db)"] as const;

/** How often an account is tried before its gap is parked, unless it is said otherwise: four nights of three rounds each. */
export const GAP_TRIES = 12;

/** A whole number from 1 on, added to those given before. */
export function collectNumber(text: string, previous: readonly number[] | undefined): number[] {
  return [...(previous ?? []), wholeNumber(1, 1e12)(text)];
}

/** The release of the chain's nodes, by which an upgrade is judged. */
export function nodeGenerationOption(): Option {
  return new Option(
    "--node-generation <letter>",
    "the release of the chain's nodes: A 2024, B and C 2025, D 2026 (default: as the archive saw them)",
  ).choices(["A", "B", "C", "D"]);
}
