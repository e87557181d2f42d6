import type { ExitName } from "../../src/exit-codes.ts";

/** A code of `MovedexError`, or one that `--json` prints in its place. */
export type ErrorCodeDocument = { readonly meaning: string; readonly todo: string; readonly exit: ExitName | "gap" | "answer" };

/** Codes by the part of movedex they come from, in the order of the page. Those of ledger nodes are made from the table in `src/node`. */
export const errorCodes: Readonly<Record<string, Readonly<Record<string, ErrorCodeDocument>>>> = {
  "Command line": {
    MOVEDEX_USAGE: {
      meaning: "an unknown command or option, or a value that an option does not take",
      todo: "run `movedex <command> --help`",
      exit: "usage",
    },
    MOVEDEX_CONFIG: {
      meaning: "an option, a file or a variable has to be changed",
      todo: "the message says which, and what to give instead",
      exit: "usage",
    },
    MOVEDEX_NOT_HELD: {
      meaning: "what was asked for is not in the archive: it was never read, or it was read and was not there",
      todo: "the message says which of the two, and what is held instead",
      exit: "failed",
    },
    MOVEDEX_FILE_UNREADABLE: {
      meaning: "a file given to `decode` cannot be read; its line has this code, and the others are decoded",
      todo: "check the path and its permissions",
      exit: "gaps",
    },
    MOVEDEX_DEMO: {
      meaning: "a command of `movedex demo` failed; the message has what that command said",
      todo: "run it in another directory, and without variables such as `MOVEDEX_PING_URL`",
      exit: "failed",
    },
    MOVEDEX_BUG: { meaning: "a failure that movedex did not foresee; the message has a stack", todo: "report it", exit: "failed" },
  },
  "Chain and pin": {
    MOVEDEX_WRONG_CHAIN: {
      meaning: "the node's chain id, its ledger time or its answers to stored observations differ from the database's; nothing was written",
      todo: "use another `--db` for this ledger, or the right node for this database",
      exit: "wrongChain",
    },
    MOVEDEX_WORKER_NODE: {
      meaning:
        "other workers read a ledger version that this worker's node has pruned, or has not reached; this one has taken nothing more, the others go on",
      todo: "give this worker a node that has the version, or leave the night to the others",
      exit: "absent",
    },
    MOVEDEX_PIN_PRUNED: {
      meaning: "the ledger version that was asked for is below the node's oldest readable version",
      todo: "ask for a newer version, or ask an archive node",
      exit: "lost",
    },
    MOVEDEX_PIN_FUTURE: {
      meaning: "the ledger version that was asked for is above the node's newest",
      todo: "ask for an older version, or leave out `--ledger-version`",
      exit: "failed",
    },
    MOVEDEX_BACKFILL_TIMELESS: {
      meaning: "the node's newest version has not moved, so moments cannot be mapped to versions",
      todo: "give `--every`, `--from` and `--to` in versions, or run again when the ledger moves",
      exit: "failed",
    },
    MOVEDEX_CRAWL_OVERTAKEN: {
      meaning: "the node pruned the pinned version while an account's modules were being listed; the listing was not kept",
      todo: "nothing: the account is a gap that cannot be filled from this node",
      exit: "gap",
    },
    MOVEDEX_CRAWL_REPEATED: {
      meaning: "the node listed a module twice; the listing was not kept",
      todo: "nothing: later nights try again",
      exit: "gap",
    },
    MOVEDEX_CRAWL_NAMELESS: {
      meaning: "a module came without an ABI, and its bytes cannot be decoded, so its name is unknown",
      todo: "try `--encoding bcs`: a node that answers in BCS names every module",
      exit: "gap",
    },
    MOVEDEX_CRAWL_MISNAMED: {
      meaning:
        "a module's bytes name another module or account than the one they were listed under; after the third attempt they are kept as given, with a finding",
      todo: "compare with another node: this one may serve corrupt data",
      exit: "gaps",
    },
    MOVEDEX_CRAWL_OVERSIZED: {
      meaning: "a module has more bytes than any chain stores (1 MiB); after the third attempt they are kept as given, with a finding",
      todo: "compare with another node: this one may serve corrupt data",
      exit: "gaps",
    },
    MOVEDEX_HISTORY_UNKNOWN: {
      meaning:
        "the node has pruned all that is stored, and nothing at its newest version tells its ledger from one that was started anew; nothing was written",
      todo: "if the network was not started anew, run once with `--accept-new-history`; else use another `--db`",
      exit: "wrongChain",
    },
    MOVEDEX_HEAD_CONTRADICTORY: {
      meaning: "the node's answers about its newest ledger version contradict each other; nothing was written",
      todo: "ask another node",
      exit: "failed",
    },
    MOVEDEX_STOPPED: {
      meaning: "a run was stopped, or its time was over, before the node had answered; nothing was written",
      todo: "run again",
      exit: "done",
    },
  },
  Decoding: {
    MOVEDEX_DECODE_MALFORMED: {
      meaning: "the bytes are not what any version of the format allows; `offset` says where",
      todo: "a module of a snapshot is stored as bytes without an ABI",
      exit: "gaps",
    },
    MOVEDEX_DECODE_UNSUPPORTED_VERSION: {
      meaning: "the bytecode version is newer than movedex knows",
      todo: "use a newer movedex; the bytes are stored meanwhile",
      exit: "gaps",
    },
    MOVEDEX_DECODE_LIMIT: {
      meaning: "well formed, and larger than movedex lets one module grow",
      todo: "report it with the module's address if it is a real one",
      exit: "gaps",
    },
  },
  Database: {
    MOVEDEX_STORE_LOCKED: { meaning: "another run of movedex holds the lock of this database", todo: "wait for it to end", exit: "locked" },
    MOVEDEX_STORE_BUSY: {
      meaning: "another process is writing to the database, or has the file open during a restore; a server has no connection left",
      todo: "wait for it to end, or stop it, then run again",
      exit: "locked",
    },
    MOVEDEX_STORE_FENCED: {
      meaning: "another run took over the work of this one, which had not been heard of for too long; nothing of it was written after that",
      todo: "let the other run finish",
      exit: "locked",
    },
    MOVEDEX_STORE_CUT: {
      meaning: "the connection to the database's server was lost; nothing committed is lost",
      todo: "run again when the server is up",
      exit: "failed",
    },
    MOVEDEX_STORE_TIMEOUT: {
      meaning: "a statement took longer than its time, and the server stopped it",
      todo: "ask for less at a time, or give it more time",
      exit: "failed",
    },
    MOVEDEX_STORE_MISSING: {
      meaning: "there is no such database",
      todo: "name one with `--db`, or make it with `movedex sync`",
      exit: "failed",
    },
    MOVEDEX_STORE_PRESENT: {
      meaning: "a file is in the way of a backup or a restore, and was left as it is",
      todo: "name another file, or give `restore --replace`",
      exit: "failed",
    },
    MOVEDEX_STORE_CANNOT_OPEN: {
      meaning: "the file cannot be opened; or a server cannot be reached, refuses the user or the password, or is too old",
      todo: "check that its directory exists and may be written to, and that the path is a file; for a server, host, port, user and password",
      exit: "failed",
    },
    MOVEDEX_STORE_READ_ONLY: {
      meaning: "the file or its directory may not be written to; or a server's user has no right to",
      todo: "change the permissions, or name another file; grant the right",
      exit: "failed",
    },
    MOVEDEX_STORE_ROLE: {
      meaning: "the role of a server's address may do more than read; `query`, `serve` and `open` take none that can",
      todo: "make a role by `movedex schema --grants ROLE`, and name it in the address",
      exit: "failed",
    },
    MOVEDEX_STORE_FULL: {
      meaning: "the disk or its quota is full; nothing committed is lost",
      todo: "make room, then run again",
      exit: "failed",
    },
    MOVEDEX_STORE_IO: {
      meaning: "the disk, the file system or the memory failed; nothing committed is lost",
      todo: "check the disk, then run again",
      exit: "failed",
    },
    MOVEDEX_STORE_NOT_A_DATABASE: { meaning: "the file is not an SQLite database", todo: "name another file with `--db`", exit: "failed" },
    MOVEDEX_STORE_FOREIGN: {
      meaning: "an SQLite database, but not one of movedex's; or a file that is not a backup",
      todo: "name another file",
      exit: "failed",
    },
    MOVEDEX_STORE_DAMAGED: {
      meaning: "the file, or something in it, is damaged",
      todo: "restore a backup; `movedex verify` says how far the damage goes",
      exit: "corrupt",
    },
    MOVEDEX_STORE_NEWER: { meaning: "the database was made by a newer movedex", todo: "update movedex", exit: "failed" },
    MOVEDEX_STORE_OLDER: {
      meaning: "the database was made by an older movedex, and this command only reads",
      todo: "run `movedex sync`, or any command that writes, once",
      exit: "failed",
    },
    MOVEDEX_STORE_MIGRATION: {
      meaning: "after a migration some rows refer to rows that are not there",
      todo: "go back to the copy that was made before; the message names it",
      exit: "failed",
    },
    MOVEDEX_STORE_CHAIN: {
      meaning: "the database is of another chain than the node or the archive; nothing was written",
      todo: "use another `--db` for another chain",
      exit: "wrongChain",
    },
    MOVEDEX_STORE_VERSION: {
      meaning: "a ledger version is not between 0 and 2^63 − 1",
      todo: "give another; from a node, report it",
      exit: "failed",
    },
    MOVEDEX_STORE_PIN: {
      meaning: "a snapshot is not in the state that the work needs: it is unfinished, or there already",
      todo: "run `movedex sync` once more, then try again",
      exit: "failed",
    },
    MOVEDEX_STORE_VISIT: {
      meaning: "a visit does not fit its snapshot: another account, a module twice, bytes with another SHA-256",
      todo: "report it",
      exit: "failed",
    },
    MOVEDEX_STORE_QUERY: {
      meaning: "the statement failed, is not one statement, or would not only read",
      todo: "the message has the database's own words",
      exit: "failed",
    },
    MOVEDEX_STORE_QUERY_SIZE: {
      meaning: "the answer to a statement is larger than one may be",
      todo: "ask for fewer rows, or fewer or shorter columns",
      exit: "failed",
    },
    MOVEDEX_STORE_ARCHIVE: {
      meaning: "an archive to import contradicts itself or its digests; nothing was imported",
      todo: "get an undamaged copy",
      exit: "corrupt",
    },
    MOVEDEX_STORE_UNEXPECTED: {
      meaning: "SQLite failed in a way that movedex has no words for; `sqliteCode` is SQLite's",
      todo: "report it",
      exit: "failed",
    },
  },
  "Export and import": {
    MOVEDEX_EXPORT_DIRECTORY: {
      meaning: "the directory holds other things, or an export of another chain",
      todo: "name a new or empty directory",
      exit: "failed",
    },
    MOVEDEX_EXPORT_NOTHING: {
      meaning: "there is no such snapshot or module to export",
      todo: "the message names the nearest",
      exit: "failed",
    },
    MOVEDEX_EXPORT_WRITE: {
      meaning: "a file of the export could not be written",
      todo: "make room or change permissions, then run the same command again",
      exit: "failed",
    },
    MOVEDEX_IMPORT_UNKNOWN: {
      meaning: "this is no archive that movedex can read",
      todo: "name a database, an export in Parquet or JSONL, or `.mv` files",
      exit: "failed",
    },
    MOVEDEX_IMPORT_DAMAGED: {
      meaning: "an export was changed or damaged: torn or edited; nothing was imported",
      todo: "get an undamaged copy",
      exit: "corrupt",
    },
  },
  Serving: {
    MOVEDEX_OVERSIZED: {
      meaning: "a module has more bytes than any chain stores: a node gave them, and they are kept, but not served",
      todo: "compare with another node: the one that was read may serve corrupt data; the client gets 500 `internal_error`",
      exit: "answer",
    },
    MOVEDEX_SERVE_CHAIN: {
      meaning: "the node behind `--upstream` is of another chain than the database",
      todo: "name another `--upstream` or another `--db`",
      exit: "wrongChain",
    },
    MOVEDEX_SERVE_PARAMETER: {
      meaning: "a request's parameter does not parse",
      todo: "the client gets 400 `invalid_input` with the node's own words",
      exit: "answer",
    },
  },
};
