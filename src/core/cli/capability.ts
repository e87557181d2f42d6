import type { Command } from "commander";
import type { LoadChooser } from "../crawl/targets/choice.ts";
import type { ServerDatabases } from "../db/engine/place.ts";
import type { Hooks } from "./hooks.ts";
import type { Io } from "./io.ts";
import type { NightPart } from "./night-part.ts";
import type { SettingsReader } from "./settings.ts";

/** The headings of the help. Commands without a heading are hidden. */
type Heading =
  | "Archive a ledger:"
  | "Look at modules:"
  | "Ask the archive:"
  | "Look after the archive:"
  | "Share the archive:"
  | "About movedex:"
  | "";

/** Commands by name below their headings, each loaded only where it is asked for. */
export type Commands = {
  readonly [Key in Heading]?: Readonly<Record<string, (capabilities: readonly Capability[]) => Promise<(io: Io) => Command>>>;
};

/** What the program can do beside its core: a folder of `src/capabilities`, which can be taken out with its line in `capabilities.ts`. */
export type Capability = Hooks & {
  /** The capabilities whose files it imports. */
  readonly needs?: readonly string[];
  readonly commands?: Commands;
  /** Those of its commands that read the options of others: these are there when it runs. */
  readonly readsOthers?: readonly string[];
  /** What shows an archive as pages, beside what `serve` answers as a node: `hostNames` are those that it is asked by. */
  readonly pages?: () => Promise<
    (database: string, options: { readonly hasSql: boolean; readonly hostNames: readonly string[] }) => object
  >;
  /** Opens databases on a server. Without one, a database is a file. */
  readonly openDatabase?: ServerDatabases;
  /** Chooses the accounts of a night under a budget; else it reads those that were read longest ago. */
  readonly chooseTargets?: LoadChooser;
  /** Reads settings from a file. */
  readonly settings?: SettingsReader;
  /** What it adds to commands of others, by their names. The command says what that is. */
  readonly addsTo?: Readonly<Record<string, () => Promise<object>>>;
  /** What it does in a night. */
  readonly nightParts?: () => Promise<readonly NightPart[]>;
};

/** A capability that takes no part in commands of the core: it has none of their hooks. */
export type LaterCapability = { readonly name: string; readonly load: () => Promise<Capability> };

/** What capabilities add to a command. */
export async function addedTo<Added extends object>(command: string, capabilities: readonly Capability[]): Promise<Added[]> {
  const added = await Promise.all(capabilities.map(({ addsTo }) => addsTo?.[command]?.()));
  return added.filter((one) => one !== undefined) as Added[];
}

/** What capabilities do in a night: first what reads the node. */
export async function nightPartsOf(capabilities: readonly Capability[]): Promise<NightPart[]> {
  const parts = (await Promise.all(capabilities.map(async ({ nightParts }) => (await nightParts?.()) ?? []))).flat();
  return [...parts.filter(({ reads }) => reads), ...parts.filter(({ reads }) => !reads)];
}
