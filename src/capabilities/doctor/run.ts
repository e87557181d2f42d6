import { silentLog } from "../../core/base/log.ts";
import { plural } from "../../core/base/plural.ts";
import { hangingText, printable } from "../../core/base/printable.ts";
import { all, either, from, list, object, text, truth, version, whole, word } from "../../core/base/result.ts";
import { formatDuration } from "../../core/base/time.ts";
import { nightPartsOf } from "../../core/cli/capability.ts";
import { nodeCredentials, readVariable } from "../../core/cli/config.ts";
import { type Hooks, noticesOf, outputsOf } from "../../core/cli/hooks.ts";
import { dataWidth, type Io } from "../../core/cli/io.ts";
import type { CommandLine } from "../../core/cli/movedex-command.ts";
import { type NightFlags, tonightOf } from "../../core/cli/night-part.ts";
import { chooseNode } from "../../core/cli/options/node-session.ts";
import { optionName } from "../../core/cli/options/options.ts";
import { retiredSetting } from "../../core/cli/options/retired.ts";
import { printJson } from "../../core/cli/output/json-line.ts";
import { ofNetworks } from "../../core/cli/output/result-fields.ts";
import { requireOutput } from "../../core/cli/outputs.ts";
import type { SettingsInForce } from "../../core/cli/settings.ts";
import { readIfAble, requireDatabase, withStore } from "../../core/cli/store-access.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { readSealedVersions } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { parseBaseUrl } from "../../core/node/http/base-url.ts";
import { networks } from "../../core/node/networks.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { openStore } from "../../core/work/store.ts";
import { forgetHead } from "./forget-head.ts";
import { type CheckResult, checkNode, type DoctorFlags, fail, ok, tryCheck, warn } from "./node.ts";

/** Looks at the database and the disk under it. */
export async function checkDatabase(path: string): Promise<CheckResult[]> {
  const subject = "database";
  const database = databaseAt(path);
  const surroundings = (await database.surroundings()).map((found) => ({ ...found, subject }) as const);
  let falseOnes: CheckResult[] = [];
  const findings = await tryCheck(subject, async () => {
    if (!(await database.isThere())) return [ok(subject, `\`${path}\` ${database.absence}`)];
    await using store = await openStore(path, { mode: "read" });
    falseOnes = await findFalseSnapshots(path, store.engine);
    const chainId = await readChain(store.engine);
    const held = plural((await readSealedVersions(store.engine)).length, "sealed snapshot");
    return [ok(subject, chainId === null ? `\`${path}\` is empty` : `\`${path}\` is of chain ${chainId} and holds ${held}`)];
  });
  return [...findings, ...surroundings, ...falseOnes];
}

/**
 * Snapshots sealed above every newest version that a node gave: at versions that do not exist. They can come from a movedex
 * that believed a node whose oldest version was above its newest, or stay behind when a false newest version is struck out.
 */
export async function findFalseSnapshots(path: string, engine: Engine): Promise<CheckResult[]> {
  const newest = await runQueries(engine).newestHead();
  if (newest === undefined) return [];
  const versions = (await readSealedVersions(engine)).filter((version) => version > newest.ledgerVersion);
  return versions.map((version) =>
    warn(
      "database",
      `the snapshot of ledger version ${version} lies above every newest version that a node gave (${newest.ledgerVersion}), and hides what came after it. ` +
        `To make a database without it, run \`movedex import ${printable(path)} --except ${version} --db NEW\`: this one stays as it is. ` +
        "Then bring the list of accounts over with `movedex targets import`",
    ),
  );
}

const fields = {
  fit: from("isFit", truth),
  findings: list(object({ state: word("ok", "warn", "fail"), ...all(text, "subject", "text") })),
  settings: list(object(all(text, "name", "value", "source"))),
};

export const doctorResult = object(fields);

export const forgottenResult = object({ forgotten: whole, head_version: version });

export const doctorResults = either<unknown>([doctorResult, forgottenResult, ofNetworks(fields)]);

/** Strikes out a newest version that a node gave falsely. @throws ConfigError when no node gave it */
export async function forgetSample(io: Io, flags: DoctorFlags, version: bigint): Promise<ExitName> {
  await requireDatabase(flags.db);
  const forgotten = await withStore(io, flags.db, "write", async (engine) => {
    const count = await forgetHead(engine, version);
    if (count === 0) {
      const newest = await runQueries(engine).newestHead();
      const hint = newest === undefined ? "it remembers none" : `the newest that it remembers is ${newest.ledgerVersion}`;
      const message = `\`${printable(flags.db)}\` has no sample of a node with the newest version ${version}; ${hint}.`;
      throw new ConfigError(message, { facts: { version } });
    }
    for (const { text } of await findFalseSnapshots(flags.db, engine)) io.stderr(`movedex: ${text}\n`);
    return count;
  });
  if (flags.json) await printJson(io, forgottenResult.print({ forgotten, headVersion: version }));
  else await io.stdout(`deleted ${plural(forgotten, "sample")} with the newest version ${version}; snapshots stay as they are\n`);
  return "done";
}

/** Runs every check, prints the settings in force and the findings, and gives the end: `failed` when one is in the way. */
export async function runDoctor(line: CommandLine, flags: DoctorFlags, origins: Origins): Promise<ExitName> {
  const { io } = line;
  const ofNight = await unlessRefused(() => nightOptions(line, flags));
  const settings = (await unlessRefused(async () => settingsInForce(flags, io, origins, ofNight))) ?? [];
  const findings = [
    ...(await checkDatabase(flags.db)),
    ...(await checkNode(flags, io)),
    ...checkSharedRate(flags.db, origins),
    ...(await checkCapabilities(flags.db, io.hooks)),
    ...(await checkNight(line, flags)),
  ];
  const width = dataWidth(io);
  const isFit = findings.every(({ state }) => state !== "fail");
  if (flags.json) await printJson(io, doctorResult.print({ isFit, findings, settings }));
  else {
    const set = settings.map(({ name, value, source }) => `set   ${name.padEnd(11)} ${value} (${source})\n`);
    const found = findings.map(({ state, subject, text }) =>
      hangingText(`${state.padEnd(4)}  ${subject.padEnd(9)} `, printable(text, 2000), width),
    );
    await io.stdout([...set, ...found.map((text) => `${text}\n`)].join(""));
  }
  return isFit ? "done" : "failed";
}

/** What settings come to; undefined where they are refused, such as where no node is named: the checks say so. */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Processes that counted on one rate for all of them would together send more than the node allows. */
function checkSharedRate(path: string, { settings, sourceOf }: Origins): CheckResult[] {
  const isGiven = sourceOf("shared-rate") !== undefined || settings.forOthers().some(({ key }) => /(^|\.)shared-rate$/.test(key));
  if (!isGiven || !databaseAt(path).isShareable) return [];
  return [fail("database", "shared-rate limits nothing any more: divide it by the number of processes, and give each the result as rate")];
}

/** What capabilities warn of. Nothing where the database cannot be read: its own check says so. */
async function checkCapabilities(path: string, hooks: readonly Hooks[]): Promise<CheckResult[]> {
  const found = await readIfAble(path, (engine) =>
    Promise.all(hooks.map(async ({ warnings }) => (await warnings?.())?.(engine, path) ?? [])),
  );
  return (found ?? []).flat().map(({ subject, text }) => warn(subject, text));
}

/** What a night with these settings would be refused for, and what its parts could not do. */
async function checkNight({ io, settings, declare, capabilities }: CommandLine, flags: DoctorFlags): Promise<CheckResult[]> {
  if (!capabilities.some(({ name }) => name === "night")) return [];
  const failing = (check: () => Promise<unknown>) => tryCheck("night", () => check().then(() => []));
  return await tryCheck("night", async () => {
    const night = await nightFlags({ settings, declare }, flags);
    const parts = await nightPartsOf(capabilities);
    const outputs = parts.flatMap((part) => part.outputs?.(night) ?? []);
    const run = { io, log: silentLog, flags: night, database: flags.db, outputs };
    const checks = [
      async () => noticesOf(io.hooks)?.refuse(run),
      ...outputsOf(run).map((output, _, all) => () => requireOutput(output, flags.db, all)),
      ...parts.map((part) => async () => {
        await part.refuse?.(night);
        await part.rehearse?.(night);
      }),
    ];
    return (await Promise.all(checks.map(failing))).flat();
  });
}

async function nightFlags({ settings, declare }: Pick<CommandLine, "settings" | "declare">, flags: DoctorFlags): Promise<NightFlags> {
  return { ...settings.flagsFor<NightFlags>(await declare("night"), { stderr: () => {} }), ...flags };
}

/** The options that a night gives its steps, whatever their own tables in the file say: `trace.max-requests`. */
async function nightOptions(line: CommandLine, flags: DoctorFlags): Promise<ReadonlySet<string>> {
  if (!line.capabilities.some(({ name }) => name === "night")) return new Set();
  const settings = { places: () => [], fileWords: () => [] };
  const tonight = tonightOf(await nightFlags(line, flags), { settings, now: 0, notedVersion: undefined, reportedVersion: undefined });
  const given = (await nightPartsOf(line.capabilities)).flatMap((part) =>
    Object.entries(part.turn(tonight)?.flags ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : `${part.name}.${optionName(name)}`,
    ),
  );
  return new Set(given);
}

/** A setting in force, and where it comes from. Never a secret. */
export type SettingInForce = { readonly name: string; readonly value: string; readonly source: string };

/** What tells where an option's value comes from: commander's word for it. */
export type Origins = { readonly settings: SettingsInForce; readonly sourceOf: (option: string) => string | undefined };

/** Every setting in force for a night with this command line. @throws ConfigError when they name no node or no database */
function settingsInForce(flags: DoctorFlags, io: Io, { settings, sourceOf }: Origins, ofNight?: ReadonlySet<string>): SettingInForce[] {
  const { url, pace } = chooseNode(flags, io);
  const { apiKey, basicAuth } = nodeCredentials(io.env);
  const { network, maxDuration, maxAge } = flags;
  const isRaised = network !== undefined && flags.rpc === undefined && networks[network].withKey !== null && apiKey !== undefined;
  const preset = network === undefined ? "the default for an unknown node" : `the network ${network}${isRaised ? " with an API key" : ""}`;
  const inFile = (key: string): string | undefined => settings.applied.find((setting) => setting.key === key)?.place;
  const origin = (key: string, otherwise = ""): string =>
    sourceOf(key) === "cli" ? `--${key}` : (inFile(key) ?? inFile(`${key}-env`) ?? otherwise);
  const secret = (given: string | undefined) => (given === undefined ? undefined : "set, not shown");
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : formatDuration(ms));
  const contact = readVariable(io.env, "MOVEDEX_CONTACT");
  const database = io.env["DATABASE_URL"]?.trim() ? "DATABASE_URL" : "the default";
  const rows: [name: string, value: string | undefined, source: string][] = [
    [
      "node",
      parseBaseUrl(url, flags.nodeName).shown,
      flags.rpc === undefined && network === undefined ? "MOVEDEX_RPC_URL" : origin(flags.rpc === undefined ? "network" : "rpc"),
    ],
    ["rate", pace.rate > 0 ? `${pace.rate} request${pace.rate === 1 ? "" : "s"} a second` : "no limit", origin("rate", preset)],
    ["concurrency", `${pace.concurrency}`, origin("concurrency", preset)],
    ["encoding", flags.encoding, origin("encoding", "the default")],
    ["db", printable(flags.db, 500), origin("db", database)],
    ["max-requests", flags.maxRequests?.toString(), origin("max-requests")],
    ["max-duration", duration(maxDuration), origin("max-duration")],
    ["max-age", duration(maxAge), origin("max-age")],
    ["records", flags.records, origin("records")],
    ["API key", secret(apiKey), inFile("api-key-env") ?? "MOVEDEX_API_KEY"],
    ["password", secret(basicAuth), inFile("basic-auth-env") ?? "MOVEDEX_BASIC_AUTH"],
    ["contact", contact && printable(contact, 100), inFile("contact") ?? "MOVEDEX_CONTACT"],
  ];
  // What only other commands of the night have, as the file says it.
  for (const { key, value, place } of settings.forOthers()) {
    const instead = retiredSetting(key);
    const gone = instead === undefined ? "" : `: the option is gone; ${instead}`;
    const overridden = ofNight?.has(key) ? "; in a night, an option of `night` overrides it" : "";
    rows.push([key, printable([value].flat().join(", "), 500) + gone + overridden, place]);
  }
  return rows.flatMap(([name, value, source]) => (value === undefined ? [] : [{ name, value, source }]));
}
