/**
 * A cell of a row, alike on every engine: `bool` as 0 or 1, `time` in milliseconds, `u64` as decimal text, `json` as text. A whole number
 * is exact: a bigint in the answer to a reader's own SQL, elsewhere only beyond 2^53 − 1.
 */
export type Cell = string | number | bigint | Uint8Array | null;

/**
 * A parameter of a statement. What it means follows from its JavaScript type; where that is not enough (null, a time, JSON, a u64
 * beside no column) the statement tells the kind: `:until::time` takes milliseconds, `:sequence::u64` a bigint or decimal text.
 */
export type Value = Cell | boolean;
