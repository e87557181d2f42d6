import type { ExitName } from "../../src/exit-codes.ts";

/** A code of `MovedexError`, or one that `--json` prints in its place. */
export type ErrorCodeDocument = {
  readonly meaning: string;
  readonly todo: string;
  /** What the command ends with, `failed` unless said. */
  readonly exit?: ExitName | "gap" | "answer";
};

/** Codes by the part of movedex they come from, in the order of the page. Those of ledger nodes are made from the table in `src/node`. */
export const errorCodes: Readonly<Record<string, Readonly<Record<string, ErrorCodeDocument>>>> = {
  "Command line": {
    MOVEDEX_USAGE: {
      meaning: "an unknown command or option, or a value that an option does not take",
      todo: "run `movedex <command> --help`",
      exit: "usage",
    },
    MOVEDEX_CONFIG: {
      meaning: "an option, a settings file or an environment variable has a wrong value",
      todo: "the message says which one, and what to give instead",
      exit: "usage",
    },
    MOVEDEX_NOT_HELD: {
      meaning: "the archive does not hold what you asked for: it was never read, or it did not exist when it was read",
      todo: "the message says which of the two, and what the archive holds instead",
    },
    MOVEDEX_FILE_UNREADABLE: {
      meaning: "`decode` cannot read a file; its line has this code, and the other files are decoded",
      todo: "check the path and its permissions",
      exit: "gaps",
    },
    MOVEDEX_OUTPUT: {
      meaning: "what a command prints could not be written to stdout, as on a full disk; what it had stored by then is kept",
      todo: "make room, or print elsewhere, and run again",
    },
    MOVEDEX_DEMO: {
      meaning: "a command of `movedex demo` failed; the message includes its output",
      todo: "run the demo in another directory, without variables such as `MOVEDEX_PING_URL`",
    },
    MOVEDEX_BUG: {
      meaning: "a failure that movedex did not expect; the message includes a stack trace",
      todo: "report it",
    },
  },
  "Chain and pin": {
    MOVEDEX_WRONG_CHAIN: {
      meaning: "the node's chain id, ledger time or stored modules differ from the database's; nothing was written",
      todo: "use another `--db` for this ledger, or the right node for this database",
      exit: "wrongChain",
    },
    MOVEDEX_WORKER_NODE: {
      meaning: "other processes read a ledger version that this one's node has pruned or not reached; this one stops, the others go on",
      todo: "give this process a node that has the version, or leave the night to the others",
      exit: "absent",
    },
    MOVEDEX_PIN_PRUNED: {
      meaning: "the requested ledger version is below the node's oldest readable version",
      todo: "ask for a newer version, or ask an archive node",
      exit: "lost",
    },
    MOVEDEX_PIN_FUTURE: {
      meaning: "the requested ledger version is above the node's newest, or `-N` is below the first",
      todo: "ask for a version that there is, or leave out `--ledger-version`",
    },
    MOVEDEX_BACKFILL_TIMELESS: {
      meaning: "the node's newest version is not moving, so times cannot be mapped to versions",
      todo: "give `--every`, `--from` and `--to` as versions, or run again when the ledger moves",
    },
    MOVEDEX_CRAWL_OVERTAKEN: {
      meaning: "the node pruned the pinned version while movedex was listing an account's modules; the listing was discarded",
      todo: "nothing: the account is a gap that cannot be filled from this node",
      exit: "gap",
    },
    MOVEDEX_CRAWL_REPEATED: {
      meaning: "the node listed a module twice; the listing was discarded",
      todo: "nothing: later nights try again",
      exit: "gap",
    },
    MOVEDEX_CRAWL_NAMELESS: {
      meaning: "a module came without an ABI and its bytes cannot be decoded, so its name is unknown",
      todo: "try `--encoding bcs`: a node that answers in BCS names every module",
      exit: "gap",
    },
    MOVEDEX_CRAWL_MISNAMED: {
      meaning:
        "a module's bytes name another module or account than the listing did; after the third attempt they are kept, with a finding",
      todo: "compare with another node: this one may serve corrupt data",
      exit: "gaps",
    },
    MOVEDEX_CRAWL_OVERSIZED: {
      meaning: "a module is larger than any chain stores (1 MiB); after the third attempt it is kept, with a finding",
      todo: "compare with another node: this one may serve corrupt data",
      exit: "gaps",
    },
    MOVEDEX_HISTORY_UNKNOWN: {
      meaning:
        "the node has pruned everything that is stored, so movedex cannot tell whether the ledger was restarted; nothing was written",
      todo: "if the network was not restarted, run once with `--accept-new-history`; otherwise use another `--db`",
      exit: "wrongChain",
    },
    MOVEDEX_HEAD_CONTRADICTORY: {
      meaning: "the node's answers about its newest ledger version contradict each other; nothing was written",
      todo: "ask another node",
    },
    MOVEDEX_SPENT: {
      meaning: "the requests of the run were spent on a node that failed, before anything was read",
      todo: "ask `movedex doctor` about the node",
    },
    MOVEDEX_STOPPED: {
      meaning: "the run was stopped, or its time was up, before the node answered; nothing was written",
      todo: "allow more time, or ask `movedex doctor` about the node; after a signal (exit 130 or 143) run again",
    },
  },
  Decoding: {
    MOVEDEX_DECODE_MALFORMED: {
      meaning: "no version of the bytecode format allows these bytes; `offset` says where",
      todo: "nothing: a snapshot stores the module as bytes without an ABI",
      exit: "gaps",
    },
    MOVEDEX_DECODE_UNSUPPORTED_VERSION: {
      meaning: "the bytecode version is newer than movedex knows",
      todo: "use a newer movedex; until then the bytes are stored without an ABI",
      exit: "gaps",
    },
    MOVEDEX_DECODE_LIMIT: {
      meaning: "the module is well formed, but larger than movedex decodes",
      todo: "if the module is real, report it with its address",
      exit: "gaps",
    },
  },
  Database: {
    MOVEDEX_STORE_LOCKED: { meaning: "another run of movedex holds the lock of this database", todo: "wait for it to end", exit: "locked" },
    MOVEDEX_STORE_BUSY: {
      meaning:
        "another process writes to the database, for longer than the run may take, or has the file open during a restore; or the server has no free connection",
      todo: "wait for it to end, or stop it, then run again",
      exit: "locked",
    },
    MOVEDEX_STORE_CUT: {
      meaning: "the connection to the database server was lost; nothing committed is lost",
      todo: "run again when the server is up",
    },
    MOVEDEX_STORE_TIMEOUT: {
      meaning: "a statement exceeded its time limit, and the server stopped it",
      todo: "ask for less at a time, or raise the limit",
    },
    MOVEDEX_STORE_MISSING: {
      meaning: "the database does not exist",
      todo: "name one with `--db`, or create it with `movedex sync`",
    },
    MOVEDEX_STORE_PRESENT: {
      meaning: "a file is in the way of a backup or restore; it was left as it is",
      todo: "name another file, or use `restore --replace`",
    },
    MOVEDEX_STORE_CANNOT_OPEN: {
      meaning: "the file cannot be opened; or the server cannot be reached, refuses the login, or is too old",
      todo: "for a file, check that the path is a file and its directory is writable; for a server, check host, port, user and password",
    },
    MOVEDEX_STORE_READ_ONLY: {
      meaning: "the file or its directory is not writable, or the server's user may not write",
      todo: "change the permissions, name another file, or grant the right",
    },
    MOVEDEX_STORE_FULL: {
      meaning: "the disk or its quota is full; nothing committed is lost",
      todo: "free some space, then run again",
    },
    MOVEDEX_STORE_IO: {
      meaning: "the disk, the file system or the memory failed; nothing committed is lost",
      todo: "check the disk, then run again",
    },
    MOVEDEX_STORE_NOT_A_DATABASE: { meaning: "the file is not an SQLite database", todo: "name another file with `--db`" },
    MOVEDEX_STORE_FOREIGN: {
      meaning: "an SQLite database that is not movedex's, or a file that is not a backup",
      todo: "name another file",
    },
    MOVEDEX_STORE_DAMAGED: {
      meaning: "the file or something in it is damaged",
      todo: "restore a backup; `movedex verify` shows how much is damaged",
      exit: "corrupt",
    },
    MOVEDEX_STORE_NEWER: { meaning: "the database was made by a newer movedex", todo: "update movedex" },
    MOVEDEX_STORE_OLDER: {
      meaning: "the database was made by an older movedex, and this command only reads",
      todo: "run `movedex sync` once, or without a node `movedex tell`",
    },
    MOVEDEX_STORE_MIGRATION: {
      meaning: "after a migration, some rows refer to missing rows",
      todo: "go back to the copy made before it; the message names the copy",
    },
    MOVEDEX_STORE_CHAIN: {
      meaning: "the database belongs to another chain than the node or the archive; nothing was written",
      todo: "use another `--db` for another chain",
      exit: "wrongChain",
    },
    MOVEDEX_STORE_VERSION: {
      meaning: "a ledger version is not between 0 and 2^63 − 1",
      todo: "give another one; if it came from a node, report it",
    },
    MOVEDEX_STORE_PIN: {
      meaning: "a snapshot is in the wrong state for this work: it is unfinished, or it exists already",
      todo: "run `movedex sync` once more, then try again",
    },
    MOVEDEX_STORE_VISIT: {
      meaning: "a visit does not fit its snapshot: another account, a module twice, bytes with another SHA-256",
      todo: "report it",
    },
    MOVEDEX_STORE_QUERY: {
      meaning: "the statement failed, is not a single statement, would write, or gives two columns of a JSON row the same name",
      todo: "the message says what to change, or includes the database's own",
    },
    MOVEDEX_STORE_QUERY_SIZE: {
      meaning: "the result of a statement is too large",
      todo: "ask for fewer rows, or fewer or shorter columns",
    },
    MOVEDEX_STORE_ARCHIVE: {
      meaning: "the archive to import contradicts itself or its digests; nothing was imported",
      todo: "get an undamaged copy",
      exit: "corrupt",
    },
    MOVEDEX_STORE_UNEXPECTED: {
      meaning: "SQLite failed in a way that movedex does not know; `sqliteCode` is SQLite's code",
      todo: "report it",
    },
  },
  "Export and import": {
    MOVEDEX_EXPORT_DIRECTORY: {
      meaning: "the directory holds other files, or an export of another chain or of other tables",
      todo: "name a new or empty directory",
    },
    MOVEDEX_EXPORT_NOTHING: {
      meaning: "the archive has no such snapshot or module to export",
      todo: "the message names the nearest",
    },
    MOVEDEX_EXPORT_WRITE: {
      meaning: "movedex could not write a file of the export",
      todo: "free some space or change permissions, then run the same command again",
    },
    MOVEDEX_IMPORT_UNKNOWN: {
      meaning: "a newer movedex wrote the export in this directory; nothing was exported",
      todo: "use that movedex, or a new directory",
    },
    MOVEDEX_IMPORT_DAMAGED: {
      meaning: "the manifests of the export in this directory were edited or are missing; nothing was exported",
      todo: "export into a new directory",
      exit: "corrupt",
    },
  },
  Serving: {
    MOVEDEX_OVERSIZED: {
      meaning: "a node served a module larger than any chain stores; movedex keeps it but does not serve it",
      todo: "the client gets 500 `internal_error`; compare with another node, since that one may serve corrupt data",
      exit: "answer",
    },
    MOVEDEX_SERVE_CHAIN: {
      meaning: "the `--upstream` node belongs to another chain than the database",
      todo: "name another `--upstream` or another `--db`",
      exit: "wrongChain",
    },
    MOVEDEX_SERVE_PARAMETER: {
      meaning: "a request parameter cannot be parsed",
      todo: "the client gets 400 `invalid_input` with the node's own words",
      exit: "answer",
    },
  },
};
