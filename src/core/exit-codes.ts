/** One row of the exit code table; the table in docs/errors.md and `movedex --help` are made from it. */
export type ExitCode = { readonly code: number; readonly meaning: string };

/** What a command's exit status says, by name. Cron jobs branch on these: a number never changes its meaning. */
export const exitCodes = {
  done: { code: 0, meaning: "done, or stopped at a budget with nothing lost while the node answered" },
  failed: { code: 1, meaning: "failed, or read nothing in its budget; the message says why. Nothing stored was lost" },
  gaps: {
    code: 2,
    meaning: "sealed with gaps or doubtful modules; for `decode`: a file could not be decoded",
  },
  lost: { code: 3, meaning: "the node pruned something before it could be read" },
  wrongChain: { code: 4, meaning: "wrong chain: the node's chain id or history differs from the database's" },
  locked: { code: 5, meaning: "another process holds the lock" },
  corrupt: {
    code: 6,
    meaning: "verification failed; for `import`: the archive is damaged",
  },
  stale: {
    code: 7,
    meaning:
      "nothing new: the node's newest version is over ten minutes old and no newer than the newest snapshot, or below an unfinished one",
  },
  absent: { code: 8, meaning: "this process's node lacks the ledger version; the other processes go on" },
  usage: { code: 64, meaning: "the command line, a setting or a named file is wrong" },
  breaking: { code: 100, meaning: "found a breaking change" },
  incomparable: { code: 101, meaning: "could not compare everything" },
  interrupted: { code: 130, meaning: "stopped by Ctrl-C (SIGINT); the next run continues" },
  terminated: { code: 143, meaning: "stopped by SIGTERM; the next run continues" },
} as const satisfies Record<string, ExitCode>;

/** The name of a row of the exit code table. */
export type ExitName = keyof typeof exitCodes;

/** Ends that the user or the system asked for: what would come next is left out. */
export const stoppedByUser: readonly ExitName[] = ["interrupted", "terminated"];

/** Ends from the one that most needs a person to the one that needs none. */
const byGravity = [
  "wrongChain",
  "corrupt",
  "lost",
  "usage",
  "failed",
  "locked",
  "interrupted",
  "terminated",
  "absent",
  "stale",
  "gaps",
  "incomparable",
  "breaking",
  "done",
] as const satisfies readonly ExitName[];

/** The gravest of several ends; `undefined` is that of a part that was left out. */
export function gravest(exits: readonly (ExitName | undefined)[]): ExitName {
  return byGravity.find((exit) => exits.includes(exit)) ?? "done";
}
