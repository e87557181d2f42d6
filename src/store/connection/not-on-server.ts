import { StoreError } from "../errors.ts";

/** The error of what movedex does in SQLite files and cannot do yet in a PostgreSQL database. */
export function notOnServer(what: string): StoreError {
  const text = `this version of movedex cannot ${what} in a PostgreSQL database yet. Use an SQLite file: --db FILE. Nothing was changed.`;
  return new StoreError("MOVEDEX_STORE_NOT_YET", text);
}

/** A store of the methods that work on a server; each of the others rejects and says so. */
export function withRefusals<T extends object>(methods: Partial<T>): T {
  return new Proxy(methods, {
    // A value with a method `then` would be taken for a promise.
    get: (target, name) => (name in target || typeof name === "symbol" || name === "then" ? Reflect.get(target, name) : refuse(name)),
  }) as T;
}

function refuse(name: string) {
  const what = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return async () => {
    throw notOnServer(what);
  };
}
