import type { Command } from "commander";
import type { Log } from "../base/log.ts";
import { printable } from "../base/printable.ts";
import type { Clock } from "../base/time.ts";
import type { Patience } from "../crawl/run/run-work.ts";
import type { LoadChooser } from "../crawl/targets/choice.ts";
import type { Check, Slice } from "../db/engine/check.ts";
import type { Engine, Session, Transaction } from "../db/engine/engine.ts";
import type { Sql } from "../db/schema/sql/sql.ts";
import { ConfigError, firstFailure, MovedexError } from "../errors.ts";
import type { ExitName } from "../exit-codes.ts";
import type { Address } from "../move/address.ts";
import type { Output } from "./outputs.ts";

/** A database in which snapshots were sealed, or changes found more exactly, open to write. */
export type Sealed = {
  readonly engine: Engine;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
};

/** Rows that follow from bytecode. */
export type DerivedRows = {
  /** The table that a damage is reported of where its row is not known. */
  readonly table: string;
  /** Derives the rows of a slice again, and compares them with the stored ones. */
  readonly check: (session: Session, slice: Slice) => Check;
  /** Deletes all, for `afterSeal` to make them anew. */
  readonly forget: (tx: Transaction) => Promise<void>;
};

/** One metric: a gauge with a value for each set of labels. */
export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number | undefined }[];
};

/** What a capability does where others work, each loaded when it is wanted. */
export type Hooks = {
  readonly name: string;
  /** Is called after what seals snapshots. What it leaves undone, such as at a signal, the next call does. */
  readonly afterSeal?: () => Promise<(sealed: Sealed) => Promise<unknown>>;
  /** Rows that it keeps, for `verify`. */
  readonly derivedRows?: () => Promise<DerivedRows>;
  /** What `doctor` is to warn of. */
  readonly warnings?: () => Promise<(engine: Engine, path: string) => Promise<readonly Warning[]>>;
  /** The capability's metrics for the file of metrics. */
  readonly metrics?: () => Promise<(engine: Engine) => Promise<readonly Metric[]>>;
  /** Tells others of runs. */
  readonly notices?: Notices;
  /** Which changes of modules `c` are traced before others, by the columns of the view `module_changes`. */
  readonly tracedFirst?: () => Promise<Sql>;
  /**
   * Reads the accounts of a file, for `--targets`, beside those that are named. @throws ConfigError for a file that names none, where no
   * other is
   */
  readonly readAccounts?: () => Promise<
    (options: AccountOptions & { readonly targets: string }, io: ReadingIo) => Promise<readonly Address[]>
  >;
};

/** The accounts to read where a command line names them. */
export type AccountOptions = { readonly account?: readonly Address[]; readonly targets?: string };

type ReadingIo = Pick<JobIo, "hooks"> & { readonly stdin: () => AsyncIterable<Uint8Array> };

/** The accounts that a command line names; undefined when it names none. @throws ConfigError, also where no capability reads files */
export async function accountsOf(options: AccountOptions, io: ReadingIo): Promise<readonly Address[] | undefined> {
  const { account, targets } = options;
  if (targets === undefined) return account && [...new Set(account)];
  const read = await io.hooks.find(({ readAccounts }) => readAccounts !== undefined)?.readAccounts?.();
  if (read === undefined) throw new ConfigError("this movedex reads no files of accounts. Name each one with --account.");
  return read({ ...options, targets }, io);
}

/** A line that the accounts of `--targets` are not stored; empty without such a file. */
export function scopeNote({ targets }: AccountOptions): string {
  if (targets === undefined) return "";
  if (targets === "-")
    return "the accounts from stdin were read in this run alone; `movedex targets import FILE` keeps accounts for every run\n";
  const file = printable(targets);
  return `the accounts of \`${file}\` were read in this run alone; \`movedex targets import ${file}\` keeps them for every run\n`;
}

/** What a run stands in that others may be told of. */
export type JobIo = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Calls back once for each SIGINT or SIGTERM; returns what takes the handler away again. */
  readonly onStopSignal: (handler: (signal: "SIGINT" | "SIGTERM") => void) => () => void;
  /** What capabilities do where others work, in the order in which they do it. */
  readonly hooks: readonly Hooks[];
  /** What chooses the accounts of a night under a budget, where a capability does. */
  readonly chooseTargets?: LoadChooser | undefined;
  /** Set where another command runs this one as a part of its own run, and sends the pings of the whole. */
  readonly isPart?: boolean;
  /** How long the run that this one is a part of still waits for others' locks. */
  readonly patience?: Patience;
  /** Told when a run of one of several networks begins its work: never where it finds another run at work. */
  readonly takeStart?: () => Promise<void>;
};

/** How a run ended, and what is to be told of it. */
export type Ended = {
  readonly exit: ExitName;
  readonly summary: () => Promise<Readonly<Record<string, unknown>>>;
  /** How it ended in a line, which pings carry. */
  readonly line?: string;
};

/** A run that others are told of, as its options say. */
export type NotifiedRun = {
  readonly io: JobIo;
  readonly log: Log;
  readonly flags: object;
  readonly command: string;
  readonly database: string;
  /** The files that it writes beside those by which others are told. */
  readonly outputs?: readonly Output[];
  /** The line of a run that could not begin. */
  readonly brokenLine?: (message: string) => string;
};

/** One of several sections of settings that run in turn. */
export type WatchedSection = { readonly name: string; readonly pingUrl: string | undefined };

/** The notices of a run that works through sections of settings in turn. */
export type SectionNotices = {
  start(section: WatchedSection): Promise<void>;
  /** Notes how a section ended, with its line; one that was left out ended as what it was left out for. */
  note(section: WatchedSection, exit: ExitName, line: string): void;
  /** Says that no other section comes after this one which belongs to its run. */
  endWith(section: WatchedSection): Promise<void>;
  /** Ends all runs under way as failed. */
  fail(): Promise<void>;
};

type Notices = {
  /** Adds the options of a command that ask for notices. */
  declare(command: Command): unknown;
  /** The files that notices are written to. */
  outputs(flags: object): readonly Output[];
  /** Refuses what cannot be told, as `doctor` asks. @throws ConfigError */
  refuse(asked: AskedToTell): Promise<unknown>;
  isAsked(run: NotifiedRun): boolean;
  /** Runs `work` and tells others how it went. `work` calls `begin` once it holds its lock. */
  ofRun<T extends Ended>(run: NotifiedRun, work: (begin: () => Promise<void>) => Promise<T>): Promise<T>;
  ofSections(sections: readonly WatchedSection[], surroundings: { readonly io: JobIo; readonly log: Log }): Promise<SectionNotices>;
};

/** What says whether and how others are told of a run. */
export type AskedToTell = Pick<NotifiedRun, "io" | "log" | "flags" | "database" | "outputs">;

/** The files that a run is told to write. */
export function outputsOf({ io, flags, outputs = [] }: AskedToTell): readonly Output[] {
  return [...outputs, ...(noticesOf(io.hooks)?.outputs(flags) ?? [])];
}

/**
 * Makes sure before a run that it may write its files. What it cannot write now, and a URL that cannot be pinged, cost no run: a folder may
 * be back by its end, and what the node prunes tonight is not. @returns what is in the way, each as an error @throws ConfigError for files
 * that would destroy something
 */
export async function requireOutputs(run: NotifiedRun): Promise<MovedexError[]> {
  const all = outputsOf(run);
  const faults: MovedexError[] = [];
  const notices = noticesOf(run.io.hooks);
  if (notices?.isAsked(run))
    await notices.refuse(run).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error);
    });
  if (all.length === 0) return faults;
  const { requireOutput } = await import("./outputs.ts");
  for (const output of all) {
    await requireOutput(output, run.database, all).catch((error: unknown) => {
      if (!(error instanceof ConfigError) || error.cause === undefined) throw error;
      faults.push(error);
    });
  }
  return faults;
}

export async function warnOfOutputs(run: NotifiedRun): Promise<void> {
  for (const { message, code } of await requireOutputs(run)) run.log("warn", message, { code });
}

/** Has each capability do what follows from new snapshots, through the run's own open store. A failure here fails no run. */
export async function followSeal({ hooks, clock }: JobIo, sealed: Omit<Sealed, "clock">): Promise<void> {
  for (const { name, afterSeal } of hooks) {
    try {
      await (await afterSeal?.())?.({ ...sealed, clock });
    } catch (error) {
      if (!(error instanceof MovedexError)) throw error;
      sealed.log("warn", `${name}: what follows from new snapshots was not done; the next run tries again: ${error.message}`, {
        code: error.code,
      });
    }
  }
}

/** Runs `work`, and lets a capability tell others how it went. @throws what `work` throws, and ConfigError where nobody can be told so */
export async function notifyOfRun<T extends Ended>(run: NotifiedRun, work: (begin: () => Promise<void>) => Promise<T>): Promise<T> {
  const notices = noticesOf(run.io.hooks);
  if (notices?.isAsked(run)) return await notices.ofRun(run, work);
  try {
    await warnOfOutputs(run);
    return await work(async () => {});
  } catch (error) {
    throw firstFailure(error);
  }
}

export function noticesOf(hooks: readonly Hooks[]): Notices | undefined {
  return hooks.find(({ notices }) => notices !== undefined)?.notices;
}

export async function derivedRowsOf(hooks: readonly Hooks[]): Promise<DerivedRows[]> {
  return Promise.all(hooks.flatMap(({ derivedRows }) => derivedRows?.() ?? []));
}

export type Warning = { readonly subject: string; readonly text: string };
