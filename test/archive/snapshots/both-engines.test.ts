import fc from "fast-check";
import { expect } from "vitest";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { readSealedVersions } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { testReleases } from "../../support/index.ts";
import { law } from "../../support/property/law.ts";
import { loadHistory, readReleases } from "../../support/recorded-releases.ts";
import { importPath } from "../../support/store/import-store.ts";
import { addressOf, NOON, night, type SeenAccount, temporaryStore } from "../../support/store/temporary-store.ts";
import { viewDigests } from "../../support/store/view-rows.ts";

type History = { readonly order: readonly number[]; readonly nights: readonly (readonly number[])[] };

const ACCOUNTS = 4;
const VERSIONS = 5;

/** What each night sees of each account: nothing asked, no answer, no record, or one of a few states. */
const histories: fc.Arbitrary<History> = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2, maxLength: VERSIONS }),
  nights: fc.array(fc.array(fc.nat(6), { minLength: ACCOUNTS, maxLength: ACCOUNTS }), { minLength: VERSIONS, maxLength: VERSIONS }),
});

async function crawl(engine: Engine, { order, nights }: History): Promise<void> {
  for (const version of order) {
    const seen = (nights[version] ?? []).flatMap((state, account): (readonly [Address, SeenAccount])[] => {
      if (state === 0) return [];
      if (state === 1) return [[addressOf(account + 14), "missed"]];
      const modules: Record<string, string> = state < 4 ? {} : { coin: `coin ${state}`, ...(state > 5 ? { extra: "extra" } : {}) };
      return [[addressOf(account + 14), { sequence: state === 2 ? null : BigInt(state >> 1), modules }]];
    });
    if (seen.length > 0) await night(engine, BigInt(version * 10 + 10), seen);
  }
  await derivationQueries(engine).derive();
}

eachPostgres("a history on a file and on a server", (open, version) => {
  law(
    "is the same in every public view, digests included, in any order and after any import",
    3,
    [histories, histories],
    async (own, others) => {
      await using file = await temporaryStore();
      await using foreign = await temporaryStore();
      const url = (await open()).url();
      await using server = await openStore(url, { mode: "write", now: () => NOON });
      await crawl(foreign.engine, others);
      for (const store of [file, server]) {
        await crawl(store.engine, own);
        expect((await readSealedVersions(store.engine)).length).toBeLessThanOrEqual(VERSIONS);
      }
      expect(await viewDigests(url)).toEqual(await viewDigests(file.path));
      const isAnything = (await readSealedVersions(foreign.engine)).length > 0;
      for (const store of isAnything ? [file, server] : []) await importPath(store.engine, foreign.path);
      expect(await viewDigests(url)).toEqual(await viewDigests(file.path));
    },
  );

  testReleases("of recorded releases is the same in every public view, digests included", async () => {
    await using file = await temporaryStore();
    const url = (await open()).url();
    const server = await openStore(url, { mode: "write", now: () => NOON });
    const picked = version === 18 ? [0, 22, 66, 110, 133] : [0, 66, 133];
    const releases = readReleases().filter((_, i) => picked.includes(i));
    for (const store of [file, server]) await loadHistory(store.engine, releases);
    await server.close();
    const expected = await viewDigests(file.path);
    expect(await viewDigests(url)).toEqual(expected);
    expect(Number.parseInt(expected["functions_at"] ?? "", 10)).toBeGreaterThan(1_000);
  });
});
