import type { PageArchive } from "../page-archive.ts";

/** Questions whose answers the pages of one module share. */
const ASKED = {
  modules: ["chainId", "newestCovering", "findModule", "historyOf", "sealedVersions", "standingAmong", "timesOf", "coverage"],
  store: ["changesOf"],
} as const;

/** An archive that remembers what it was asked, for the pages of one module: a hundred of them ask the same. */
export function withRememberedAnswers(archive: PageArchive): PageArchive {
  const known = new Map<string, unknown>();
  const remembering = <T extends object>(of: T, names: readonly (keyof T & string)[]): T => {
    const kept = names.map((name) => {
      const ask = of[name] as (...values: unknown[]) => unknown;
      const remembered = (...values: unknown[]): unknown => {
        const key = `${name} ${values.map(keyOf).join(" ")}`;
        if (!known.has(key)) known.set(key, ask(...values));
        return known.get(key);
      };
      return [name, remembered];
    });
    return { ...of, ...Object.fromEntries(kept) };
  };
  return { ...archive, modules: remembering(archive.modules, ASKED.modules), store: remembering(archive.store, ASKED.store) };
}

function keyOf(value: unknown): string {
  if (Array.isArray(value) && typeof value[0] === "bigint") return value.join();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
