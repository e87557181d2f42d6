import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cell } from "../../../src/base/cell.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { QueryDoor } from "../../../src/engine/query-door.ts";
import { recipes } from "../../../src/schema/cookbook/cookbook.ts";
import { sized } from "../../run-size.ts";
import type { RecordedModule } from "../../support/expected-views.ts";
import { accountOf, loadHistory, type RecordedRelease, readReleases } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryStore } from "../../support/store/temporary-store.ts";

const title = `the cookbook over real releases${frameworkHistory === undefined ? " (skipped: the recorded releases are not beside the repository)" : ""}`;

function without(set: ReadonlySet<string>, other: ReadonlySet<string>): Set<string> {
  return new Set([...set].filter((one) => !other.has(one)));
}

/** The recorded releases, and what an independent reader found in their modules. */
describe.skipIf(frameworkHistory === undefined)(title, () => {
  const folder = frameworkHistory as string;
  let releases: RecordedRelease[];
  let versions: readonly bigint[];
  let recorded: Map<string, RecordedModule>;
  let at: Awaited<ReturnType<typeof temporaryStore>>;
  let door: QueryDoor;

  beforeAll(async () => {
    const lines = readFileSync(join(folder, "abi.jsonl"), "utf8").trimEnd().split("\n");
    recorded = new Map(lines.map((line) => JSON.parse(line) as RecordedModule).map((module) => [module.sha256, module]));
    // Some of them: changes of all kinds are between them, and loading all of them takes a while.
    releases = readReleases(folder).filter((_, index) => index % sized(22, 6) === 1);
    at = await temporaryStore();
    versions = await loadHistory(at.engine, folder, releases);
    door = await databaseAt(at.path).openToQuery();
  });
  afterAll(async () => {
    await door?.close();
    await at?.[Symbol.asyncDispose]();
  });

  /** The named columns of a recipe's answer, a line each. */
  const ask = async (name: string, columns: string, values: Readonly<Record<string, Cell>> = {}): Promise<string[]> => {
    const { sql } = recipes.find((recipe) => recipe.name === name) ?? expect.fail(name);
    const result = await door.query(sql, Object.keys(values).length === 0 ? [] : values);
    const places = columns.split(" ").map((column) => result.columns.indexOf(column));
    return (await Array.fromAsync(result.rows)).map((row) => places.map((place) => String(row[place])).join(" ")).sort();
  };
  /** Modules of a release by id, as the independent reader found them. */
  const modulesOf = (release: RecordedRelease | undefined): Map<string, RecordedModule> =>
    new Map([...(release?.modules ?? [])].map(([id, sha256]) => [id.replace("::", " "), recorded.get(sha256) ?? expect.fail(sha256)]));
  const functionsOf = ({ abi, private_functions }: RecordedModule) => [...abi.exposed_functions, ...private_functions];
  const functionsIn = (release: RecordedRelease | undefined): Set<string> =>
    new Set([...modulesOf(release)].flatMap(([id, module]) => functionsOf(module).map(({ name }) => `${id} ${name}`)));
  const newest = () => modulesOf(releases.at(-1));

  test("who-uses-struct", async () => {
    const mentions = (types: readonly string[]) => types.some((type) => /(?<![0-9a-f:])0x1::coin::Coin(?!\w)/.test(type));
    const wanted = [...newest()].flatMap(([id, module]) => [
      ...functionsOf(module)
        .filter((item) => mentions([...item.params, ...item.return]))
        .map(({ name }) => `${id} ${name}`),
      ...module.abi.structs
        .filter((item) => mentions([...item.fields, ...item.variants.flatMap(({ fields }) => fields)].map(({ type }) => type)))
        .map(({ name }) => `${id} ${name}`),
    ]);
    const others = wanted.filter((line) => !line.startsWith("0x1 coin "));
    expect(others.length).toBeGreaterThan(5);
    const found = await ask("who-uses-struct", "address module item", { address: "0x1", module: "coin", struct: "Coin" });
    expect([...new Set(found)]).toEqual(others.sort());
  });

  test("functions-gone between any two neighbours", async () => {
    let gone = 0;
    for (const [index, to] of versions.entries()) {
      const from = versions[index - 1];
      if (from === undefined) continue;
      // Functions of accounts that one of the two releases does not have are no change of the account.
      const accounts = (release: RecordedRelease | undefined) => new Set([...(release?.modules.keys() ?? [])].map(accountOf));
      const both = without(accounts(releases[index]), without(accounts(releases[index]), accounts(releases[index - 1])));
      const old = functionsIn(releases[index - 1]);
      const now = functionsIn(releases[index]);
      const of = (set: ReadonlySet<string>) => [...set].filter((line) => both.has(line.split(" ")[0] as string)).sort();
      expect(await ask("functions-gone", "address module name", { from, to })).toEqual(of(without(old, now)));
      // The other way round they are the new ones.
      expect(await ask("functions-gone", "address module name", { from: to, to: from })).toEqual(of(without(now, old)));
      gone += without(old, now).size;
    }
    expect(gone).toBeGreaterThan(100);
  });

  test("silent-changes and module-history", async () => {
    const changes = versions.flatMap((version, index) => {
      const old = modulesOf(releases[index - 1]);
      return [...modulesOf(releases[index])].flatMap(([id, module]) => {
        const before = old.get(id);
        if (before === undefined || before.sha256 === module.sha256) return [];
        return [{ id, line: `${id} ${version}`, isSilent: JSON.stringify(before.abi) === JSON.stringify(module.abi) }];
      });
    });
    const silent = changes.filter(({ isSilent }) => isSilent);
    expect(silent.length).toBeGreaterThan(50);
    expect(await ask("silent-changes", "address module at_or_before_version")).toEqual(silent.map(({ line }) => line).sort());
    const coin = changes.filter(({ id }) => id === "0x1 coin");
    expect(await ask("module-history", "at_or_before_version", { address: "0x1", module: "coin" })).toHaveLength(coin.length);
  });

  test("error-codes-changed", async () => {
    const [from, to] = [versions[0] as bigint, versions.at(-1) as bigint];
    const old = modulesOf(releases[0]);
    const wanted = [...newest()].flatMap(([id, { errors }]) =>
      Object.entries(errors)
        .filter(([code, [name]]) => (old.get(id)?.errors[code]?.[0] ?? name) !== name)
        .map(([code, [name]]) => `${id} ${code} ${old.get(id)?.errors[code]?.[0]} ${name}`),
    );
    expect(wanted.length).toBeGreaterThan(0);
    expect(await ask("error-codes-changed", "address module code old_name new_name", { from, to })).toEqual(wanted.sort());
  });
});
