import { translateSqliteError } from "./sqlite-errors.ts";

/** Methods of a store as SQLite does them inside the process: each at once, each transaction within one call. */
export type Synchronous<T> = { readonly [Name in keyof T]: SynchronousMember<T[Name]> };

type SynchronousMember<M> = M extends (...args: infer A) => infer R ? (...args: A) => SynchronousResult<R> : M;
type SynchronousResult<R> = R extends Promise<infer V> ? V : R extends AsyncIterable<infer V> ? Generator<V> : R;

type Exclusive = <T>(work: () => T) => Promise<T>;
const atOnce: Exclusive = async (work) => work();
const GeneratorFunction = function* () {}.constructor;

/**
 * The asynchronous methods that callers see, made of synchronous ones. Each does its work when it is called, or as soon as
 * no transaction of the engine on the same connection is open. Methods that are generator functions do it when they are
 * walked. The one place where SQLite's failures are translated: those of a call reject its promise, those of a generator
 * come out of the loop that walks it.
 *
 * @param wanted what was being done, as in "could not … `path`"
 * @param exclusive does a piece of work while no transaction is open
 */
export function asynchronous<T extends object>(methods: Synchronous<T>, wanted: string, path: string, exclusive: Exclusive = atOnce): T {
  const fail = (error: unknown): never => {
    throw translateSqliteError(error, wanted, path);
  };
  async function* walk(rows: Generator<unknown>): AsyncGenerator<unknown> {
    try {
      for (;;) {
        const { done, value } = await exclusive(() => rows.next()).catch(fail);
        if (done) return;
        yield value;
      }
    } finally {
      rows.return(undefined);
    }
  }
  const wrap = (method: (...args: unknown[]) => unknown) => {
    if (method instanceof GeneratorFunction) return (...args: unknown[]) => walk(method(...args) as Generator<unknown>);
    return (...args: unknown[]) => exclusive(() => method(...args)).catch(fail);
  };
  const entries = Object.entries(methods).map(([name, member]) => [name, typeof member === "function" ? wrap(member as never) : member]);
  return Object.fromEntries(entries) as T;
}
