import { translateSqliteError } from "./sqlite-errors.ts";

/** Methods of a store as SQLite does them inside the process: each at once, each transaction within one call. */
export type Synchronous<T> = { readonly [Name in keyof T]: SynchronousMember<T[Name]> };

type SynchronousMember<M> = M extends (...args: infer A) => infer R ? (...args: A) => SynchronousResult<R> : M;
type SynchronousResult<R> = R extends Promise<infer V> ? V : R extends AsyncIterable<infer V> ? Generator<V> : R;

/**
 * The asynchronous methods that callers see, made of synchronous ones. Each does its work when it is called; a generator
 * does it when it is walked. The one place where SQLite's failures are translated: those of a call reject its promise, those
 * of a generator come out of the loop that walks it.
 *
 * @param wanted what was being done, as in "could not … `path`"
 */
export function asynchronous<T extends object>(methods: Synchronous<T>, wanted: string, path: string): T {
  const call = (method: (...args: unknown[]) => unknown, args: unknown[]): unknown => {
    try {
      const result = method(...args);
      return isGenerator(result) ? walk(result, wanted, path) : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(translateSqliteError(error, wanted, path));
    }
  };
  const entries = Object.entries(methods).map(([name, member]) => [
    name,
    typeof member === "function" ? (...args: unknown[]) => call(member as (...args: unknown[]) => unknown, args) : member,
  ]);
  return Object.fromEntries(entries) as T;
}

async function* walk(rows: Generator<unknown>, wanted: string, path: string): AsyncGenerator<unknown> {
  try {
    yield* rows;
  } catch (error) {
    throw translateSqliteError(error, wanted, path);
  }
}

function isGenerator(value: unknown): value is Generator<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && "next" in value;
}
