import type { SyncSummary } from "../crawl/night/summary.ts";
import type { RecordCadence } from "../crawl/targets/targets.ts";
import type { Engine } from "../db/engine/engine.ts";
import type { ExitName } from "../exit-codes.ts";
import type { Io } from "./io.ts";
import type { AgeFlags, DatabaseFlags, DeclaredCommand, NodeFlags } from "./options/declared-command.ts";
import type { Output } from "./outputs.ts";
import type { SettingsInForce } from "./settings.ts";

/** The options of `night` itself; its parts add their own. */
export type NightFlags = DatabaseFlags &
  NodeFlags &
  AgeFlags & { readonly lag?: bigint; readonly records?: RecordCadence; readonly weekly?: boolean; readonly dryRun?: boolean };

/** What a part chooses its options by. */
export type Tonight<Own extends object = object> = {
  readonly flags: NightFlags & Own;
  /** The night's options that those share which read the node, the database, and chosen accounts. */
  readonly shared: {
    readonly node: Omit<NodeFlags, "maxRequests">;
    readonly database: { readonly db: string; readonly json: true };
    readonly ages: AgeFlags;
  };
  readonly settings: Pick<SettingsInForce, "places" | "fileWords">;
  readonly now: number;
  /** Up to which version nights have reported, and the same or else the newest snapshot held before; undefined when there is none. */
  readonly notedVersion: bigint | undefined;
  readonly reportedVersion: bigint | undefined;
};

/** What parts choose by: the night's own options, and what the database says of earlier nights. */
export function tonightOf(flags: NightFlags, rest: Omit<Tonight, "flags" | "shared">): Tonight {
  const { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration, maxAge, db } = flags;
  const node = { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration };
  return { ...rest, flags, shared: { node, database: { db, json: true }, ages: { maxAge } } as Tonight["shared"] };
}

/** Optional, and undefined where the night was not told it either. */
type Some<Flags> = { readonly [Key in keyof Flags]?: Flags[Key] | undefined };

/** How a command takes part tonight. `flags` stand over what the settings file says of it. */
export type Turn<Flags extends object = object> = {
  readonly flags: Some<Flags>;
  /** What it is given beside options, by the snapshots that the night has read, and the words that a command line has for it. */
  readonly given?: (read: readonly SyncSummary[]) => Some<Flags>;
  readonly words?: readonly string[];
  /** The step before that must have ended in one of these ways, else this one is left out. */
  readonly after?: { readonly step: string; readonly exits: readonly ExitName[] } | undefined;
};

/** The ends of a sync that has read the node: later steps can use its snapshot. */
export const afterReading = { step: "sync", exits: ["done", "gaps", "lost", "stale"] } as const;

/** What the night's line says of a step beside its end. */
export type Said = {
  /** Readings that no night can make up for: the node has pruned their versions. */
  readonly lost?: number;
  /** How many modules changed. */
  readonly changedModules?: number | undefined;
  /** What the step found, in place of the words of its end. */
  readonly found?: string | undefined;
  readonly numbers?: readonly (string | false)[];
  readonly troubles?: readonly (string | false)[];
};

/** A command as a step of a night. A result without `exit` is that of a step that is done. */
export type NightStep<Flags extends object = object, Result extends object = object> = {
  run(io: Io, flags: Flags): Promise<Result>;
  /** What `--json` says of what it came to. */
  print(result: Result): object;
  says?(result: Result): Said;
  /** Is called after the last step. */
  finish?(io: Io, flags: Flags, result: Result): Promise<void>;
};

/** A command that the night calls, and what of `night` is there for it. */
export type NightPart<Own extends object = object, Flags extends object = object> = {
  readonly name: string;
  /** Whether it asks the node, and comes before those that do not. */
  readonly reads?: true;
  /** Whether `night --weekly` is this part alone. */
  readonly isWeekly?: true;
  /** Whether it ends by itself when a signal comes; others are left where they are. */
  readonly hearsSignals?: boolean;
  /** How values of its command's options are typed that are no text, number or duration, by what commander calls them. */
  readonly spells?: Readonly<Record<string, (value: never) => string>>;
  /** What the night's line says to do where its step ended so. */
  readonly advises?: Readonly<Partial<Record<ExitName, string>>>;
  /** Adds the options of `night` by which it is chosen. */
  declare?(command: DeclaredCommand): unknown;
  /** The files that it is told to write: the night is refused where it cannot. */
  outputs?(flags: NightFlags & Own): readonly Output[];
  /** Refuses what cannot be, before the night begins, and when `doctor` asks. @throws MovedexError */
  refuse?(flags: NightFlags & Own): Promise<void>;
  /** Finds what would fail once its turn comes, for `doctor`: the night begins all the same. @throws MovedexError */
  rehearse?(flags: NightFlags & Own): Promise<void>;
  /** What the night says beside its line, or what it says once a week. */
  remark?(flags: NightFlags & Own, isFirstOfWeek: boolean): Promise<string | undefined>;
  /** Whether the database asks for it. */
  isWanted?(engine: Engine): Promise<boolean>;
  /** What it is to do tonight; undefined for nothing. */
  turn(tonight: Tonight<Own>): Turn<Flags> | undefined;
  load(): Promise<NightStep<Flags>>;
};
