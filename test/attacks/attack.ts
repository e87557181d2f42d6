/** An attack by a statement: what it tries, and the statement; `{file}` stands for a file that must not come to be. */
export type Attack = readonly [tries: string, sql: string];

/** How a statement that was stopped says so. */
export const stopped = /^MOVEDEX_STORE_(?:QUERY|QUERY_SIZE|TIMEOUT)$/;
