import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time.ts";
import { nodeCredentials, readVariable } from "../../../config.ts";
import { parseBaseUrl } from "../../../node/http/base-url.ts";
import { networks } from "../../../node/networks.ts";
import type { Io } from "../../io.ts";
import { chooseNode } from "../../options/node-session.ts";
import { retiredSetting } from "../../options/retired.ts";
import type { SettingsInForce } from "../../settings/settings.ts";
import type { DoctorFlags } from "./node.ts";

/** A setting in force, and where it comes from. Never a secret. */
export type SettingInForce = { readonly name: string; readonly value: string; readonly source: string };

/** What tells where an option's value comes from: commander's word for it. */
export type Origins = { readonly settings: SettingsInForce; readonly sourceOf: (option: string) => string | undefined };

/** Every setting in force for a night with this command line. @throws ConfigError when they name no node or no database */
export function settingsInForce(flags: DoctorFlags, io: Io, { settings, sourceOf }: Origins): SettingInForce[] {
  const { url, pace } = chooseNode(flags, io);
  const { apiKey: key, basicAuth: basic } = nodeCredentials(io.env);
  const isRaised = flags.network !== undefined && flags.rpc === undefined && networks[flags.network].withKey !== null && key !== undefined;
  const preset =
    flags.network === undefined ? "the default for an unknown node" : `the network ${flags.network}${isRaised ? " with an API key" : ""}`;
  const inFile = (key: string): string | undefined => settings.applied.find((setting) => setting.key === key)?.place;
  const origin = (key: string, otherwise: string): string =>
    sourceOf(key) === "cli" ? `--${key}` : (inFile(key) ?? inFile(`${key}-env`) ?? otherwise);
  const urlOrigin = flags.rpc !== undefined ? origin("rpc", "") : flags.network === undefined ? "MOVEDEX_RPC_URL" : origin("network", "");
  const who = readVariable(io.env, "MOVEDEX_CONTACT");
  const own: SettingInForce[] = [
    { name: "node", value: parseBaseUrl(url, flags.nodeName).shown, source: urlOrigin },
    { name: "rate", value: pace.rate > 0 ? `${pace.rate} requests a second` : "no limit", source: origin("rate", preset) },
    { name: "concurrency", value: `${pace.concurrency}`, source: origin("concurrency", preset) },
    { name: "encoding", value: flags.encoding, source: origin("encoding", "the default") },
    {
      name: "db",
      value: printable(flags.db, 500),
      source: origin("db", io.env["DATABASE_URL"]?.trim() ? "DATABASE_URL" : "the default"),
    },
    ...nightSettings(flags).map(([name, value]) => ({ name, value, source: origin(name, "") })),
    ...(key === undefined ? [] : [{ name: "API key", value: "set, not shown", source: inFile("api-key-env") ?? "MOVEDEX_API_KEY" }]),
    ...(basic === undefined
      ? []
      : [{ name: "password", value: "set, not shown", source: inFile("basic-auth-env") ?? "MOVEDEX_BASIC_AUTH" }]),
    ...(who === undefined ? [] : [{ name: "contact", value: printable(who, 100), source: inFile("contact") ?? "MOVEDEX_CONTACT" }]),
  ];
  // What only other commands of the night have, as the file says it.
  const others = settings
    .forOthers()
    .map(({ key, value, place }) => ({ name: key, value: printable([value].flat().join(", "), 500) + goneWords(key), source: place }));
  return [...own, ...others];
}

function goneWords(key: string): string {
  const instead = retiredSetting(key);
  return instead === undefined ? "" : `: the option is gone; ${instead}`;
}

/** What limits a night, where it is given: the option without its dashes, and its value. */
function nightSettings({ maxRequests, maxDuration, maxAge, halfLife, records }: DoctorFlags): [key: string, value: string][] {
  const duration = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : formatDuration(ms));
  const given = {
    "max-requests": maxRequests?.toString(),
    "max-duration": duration(maxDuration),
    "max-age": duration(maxAge),
    "half-life": duration(halfLife),
    records,
  };
  return Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
}
