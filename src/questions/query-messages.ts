/** The hidden command that answers one question in a process of its own. */
export const QUERY_WORKER = "query-worker";

/** How the rows come back: as `movedex query` prints them, or as lists in JSON, a line each, the names of the columns first. */
export type QueryFormat = "table" | "json" | "jsonl" | "csv" | "lists";

export type Query = {
  readonly path: string;
  readonly sql: string;
  readonly format: QueryFormat;
  /** 0 for no limit. */
  readonly maxRows: number;
  readonly params: Readonly<Record<string, string>>;
  /** Characters in a line of the terminal that a table has to fit into, null for no limit. */
  readonly width: number | null;
  /** Resident memory in MiB above which the process ends itself, where the system does not see to it. */
  readonly memoryMib?: number | undefined;
};

/** What a process that answers one question after another is told when it begins. */
export type QueryPost = {
  readonly path: string;
  /** Bytes that one piece of an answer may have. */
  readonly bytes: number;
  readonly memoryMib?: number | undefined;
};

export type PostedQuery = Pick<Query, "sql" | "format" | "maxRows" | "params"> & {
  readonly skip?: number;
  /** Whether to say how the database would answer, and not to. */
  readonly isPlan?: boolean;
  /** Bytes that the answer may have in all. */
  readonly bytes: number;
};

/** The piece of an answer was taken; the next one may be sent. */
export type Taken = { readonly taken: true };

/**
 * Its answer: pieces, each sent once the one before was taken, and then the end, with the bytes of memory that the process has by then; or
 * why there is no more: the code of the error, and what is to be said of the statement.
 */
export type PostedAnswer =
  | { readonly piece: Uint8Array }
  | { readonly hasMore: boolean; readonly memoryBytes: number }
  | { readonly code: string; readonly message: string };

/** The code of SQLite for want of memory, within the bounds that its process has. */
export const NO_MEMORY = "SQLITE_NOMEM";
