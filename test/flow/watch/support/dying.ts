/** What ends a process, as far as a test inside it can tell: nothing after it runs. */
export class Killed extends Error {}

/** The same, of which one of the coming calls throws: before the work is done, or after. */
export function dying<T extends object>(target: T, isKilledNow: () => boolean): T {
  return new Proxy(target, {
    get: (of, name) => {
      const value = of[name as keyof T];
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        if (isKilledNow()) throw new Killed();
        const done = (await value.apply(of, args)) as unknown;
        if (isKilledNow()) throw new Killed();
        return done;
      };
    },
  });
}
