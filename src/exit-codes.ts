/** One row of the exit code table; the table in docs/errors.md and `movedex --help` are made from it. */
export type ExitCode = { readonly code: number; readonly meaning: string };

/** What a command's exit status says, by name. Cron jobs branch on these: a number never changes its meaning. */
export const exitCodes = {
  done: { code: 0, meaning: "done, or stopped at a budget with nothing lost" },
  failed: { code: 1, meaning: "usage or configuration, or the work could not be done: the message says why; nothing stored was lost" },
  gaps: {
    code: 2,
    meaning: "sealed with gaps, or with modules that cannot be what the node called them; for `decode`: a file could not be decoded",
  },
  lost: { code: 3, meaning: "something planned was pruned before it could be read" },
  wrongChain: { code: 4, meaning: "wrong chain: the chain id or the history differs from the database's" },
  locked: { code: 5, meaning: "another run holds the lock" },
  corrupt: {
    code: 6,
    meaning: "verification failed; for `import`: the archive is torn or edited; for `export --check`: typings are out of date",
  },
  stale: {
    code: 7,
    meaning: "no newer state: the node's newest version is over ten minutes old and no newer than the newest snapshot held",
  },
  absent: { code: 8, meaning: "this worker's node does not have the ledger version that the others read; they go on without it" },
  breaking: { code: 100, meaning: "breaking change found" },
  incomparable: { code: 101, meaning: "could not compare" },
  interrupted: { code: 130, meaning: "stopped by Ctrl-C (SIGINT); all that was read is stored, the next run continues" },
  terminated: { code: 143, meaning: "stopped by SIGTERM; all that was read is stored, the next run continues" },
} as const satisfies Record<string, ExitCode>;

/** The name of a row of the exit code table. */
export type ExitName = keyof typeof exitCodes;
