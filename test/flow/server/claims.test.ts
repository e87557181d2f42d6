import { expect } from "vitest";
import { manyAccounts } from "../../../sim/index.ts";
import { closing } from "../../../src/core/base/async.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { bytecodeQueries } from "../../../src/core/db/archive/content/bytecodes.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { claimQueries } from "../../../src/core/db/archive/snapshots/claims.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Visit } from "../../../src/core/db/archive/snapshots/visits.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import type { StoreError } from "../../../src/core/db/engine/errors.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { eachPostgres, openDatabase } from "../../engine/support/postgres-databases.ts";
import { cuttingProxy } from "../../support/index.ts";
import { NOON, pinAt, recordOf } from "../../support/store/temporary-store.ts";
import { test } from "../../support/test.ts";
import { countIn, expectSamePublicRows, publicRows, rowsIn } from "./public-rows.ts";

const ACCOUNTS = 60;
const SNAPSHOTS = 6;
const WORKERS = 12;
const PAGE = 8;
const now = () => NOON;

type ManyAccounts = ReturnType<typeof manyAccounts>;

/** Accounts of three modules each; before each further snapshot some publish code that nobody has seen. */
function ledgerOf(): { readonly many: ManyAccounts; readonly versions: readonly bigint[] } {
  const many = manyAccounts(ACCOUNTS, { packages: 20 });
  const versions = [many.ledger.head];
  while (versions.length < SNAPSHOTS) versions.push(many.upgradeEvery(3 + versions.length));
  return { many, versions };
}

function visitOf({ ledger }: ManyAccounts, address: Address, version: bigint): Visit {
  const modules = ledger.modulesAt(address, version).map(({ name, code: { bytes: code } }) => {
    return { name, sha256: sha256(code), content: { code, bytecodeVersion: null } };
  });
  return { address, account: recordOf(version), modules };
}

const openIn = (place: string) => databaseAt(place).open({ mode: "write", now, beside: "sync", whenBusy: async () => true });

async function pinAll(engine: Engine, { many, versions }: ReturnType<typeof ledgerOf>): Promise<void> {
  for (const version of versions) await snapshotQueries(engine).createSnapshot(pinAt(version), [...many.addresses()]);
}

/** What all workers came to. */
type Tally = { deaths: number; late: number; refused: number; readonly seals: bigint[] };

/**
 * Reads and seals all snapshots beside others. Now and then a worker dies with accounts in hand, and another comes in its place; and now
 * and then one is so slow that others take its accounts before it stores them, or seal the snapshot.
 */
async function work(place: string, { many, versions }: ReturnType<typeof ledgerOf>, random: () => number, tally: Tally): Promise<void> {
  let { engine, close } = await openIn(place);
  let visits = visitQueries(engine, bytecodeQueries(engine, { derives: true }));
  const held: { readonly version: bigint; readonly visits: readonly Visit[] }[] = [];
  // Others may have stored the same accounts and sealed the snapshot by now: after the seal, and only then, a visit is refused.
  const store = (version: bigint, read: readonly Visit[]) =>
    visits.commitVisits(version, read).catch((error: StoreError) => {
      expect(error).toMatchObject({ code: "MOVEDEX_STORE_PIN", message: expect.stringContaining("it is sealed") });
      tally.refused += 1;
    });
  const storeLate = async () => {
    for (const { version, visits: late } of held.splice(0)) await store(version, late);
  };
  let pages = 0;
  for (const version of versions) {
    for (let [after, again] = [-1, false]; ; ) {
      pages += 1;
      const isDoomed = pages % 11 === 3;
      const isSlow = pages % 11 === 7;
      // What is doomed or slow loses its accounts at once.
      const { claimAccounts, accountsLeft } = claimQueries(engine, { now, claimMs: isDoomed || isSlow ? 0 : 60_000 });
      const claims = await claimAccounts(version, { after, limit: again ? 1 : PAGE, again });
      after = claims.at(-1)?.position ?? -1;
      const read = claims.map(({ address }) => visitOf(many, address, version));
      if (claims.length === 0) {
        again = true;
        if ((await accountsLeft(version)).accounts > 0) continue;
        if ((await sealQueries(engine).sealIfWhole(version, { now: NOON })) === "this") tally.seals.push(version);
        break;
      }
      if (isDoomed) {
        tally.deaths += 1;
        await close();
        ({ engine, close } = await openIn(place));
        visits = visitQueries(engine, bytecodeQueries(engine, { derives: true }));
      } else if (isSlow) {
        tally.late += 1;
        held.push({ version, visits: read });
      } else await store(version, read);
      if (random() < 0.1) await storeLate();
    }
  }
  await storeLate();
  await close();
}

eachPostgres("workers of first crawls", (open) => {
  test("store anew what a server lost that it had committed", async ({ place }) => {
    const { many, versions } = ledgerOf();
    const [version] = versions as [bigint];
    const read = Array.from(many.addresses(), (address) => visitOf(many, address, version));
    const file = place.file("quiet.db");
    const seal = async ({ engine, close }: Awaited<ReturnType<typeof openIn>>) => {
      expect(await sealQueries(engine).sealIfWhole(version, { now: NOON })).toBe("this");
      await derivationQueries(engine).derive();
      await close();
    };
    const quiet = await openIn(file);
    await pinAll(quiet.engine, { many, versions: [version] });
    await visitQueries(quiet.engine, bytecodeQueries(quiet.engine)).commitVisits(version, read);
    await seal(quiet);

    const before = await open();
    const begun = await openIn(before.url());
    await pinAll(begun.engine, { many, versions: [version] });
    await begun.close();
    const after = await openDatabase(before.port, `TEMPLATE ${before.name}`);
    await using proxy = await cuttingProxy(before.port);
    const store = await openIn(before.url("postgres", proxy.port));
    const bytecodes = bytecodeQueries(store.engine, { derives: true });
    const { commitVisits } = visitQueries(store.engine, bytecodes);
    await commitVisits(version, read.slice(0, 20));
    for (const { sha256 } of read.slice(0, 20).flatMap(({ modules }) => modules)) expect(await bytecodes.knowsBytecode(sha256)).toBe(true);
    // As after a crash without `synchronous_commit`, or where a standby takes over.
    await proxy.refuse();
    const { prepare } = await open();
    await prepare(`DROP DATABASE ${before.name} WITH (FORCE)`);
    await prepare(`ALTER DATABASE ${after.name} RENAME TO ${before.name}`);
    await proxy.letGoOn();
    for (const visits of [read.slice(20), read.slice(0, 20)]) await commitVisits(version, visits);
    await seal(store);
    await expectSamePublicRows(before.url(), await publicRows(file));
  });

  test("that come late are waited for by a seal that meets them while they store, and leave no visit behind it", async () => {
    const { many, versions } = ledgerOf();
    const [version] = versions as [bigint];
    const database = (await open()).url();
    await using late = closing(await openIn(database));
    await using other = closing(await openIn(database));
    const visit = visitOf(many, many.address(0), version);
    await snapshotQueries(other.engine).createSnapshot(pinAt(version), [visit.address]);
    await visitQueries(other.engine).commitVisits(version, [visit]);
    const sealing = Promise.withResolvers<unknown>();
    let isSealed = false;
    const bytecodes = bytecodeQueries(late.engine);
    const internAll: typeof bytecodes.internAll = async (...modules) => {
      sealing.resolve(
        sealQueries(other.engine)
          .sealIfWhole(version, { now: NOON })
          .finally(() => {
            isSealed = true;
          }),
      );
      const waits = "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      await expect.poll(async () => isSealed || (await countIn(database, waits)) > 0).toBe(true);
      return bytecodes.internAll(...modules);
    };
    // Another listing than the one that is stored, so that there is something to store.
    const read = { ...visit, modules: visit.modules.slice(1) };
    await visitQueries(late.engine, { ...bytecodes, internAll }).commitVisits(version, [read]);
    expect(await sealing.promise).toBe("this");
    expect(await rowsIn(database, "SELECT status, accounts, modules FROM _all_snapshots")).toContainEqual(["sealed", 1n, 2n]);
    expect(await countIn(database, "_visits")).toBe(0);
  });

  test(`${WORKERS}, of which some die and some come late, leave what one quiet process does; each snapshot is sealed once`, async ({
    place,
  }) => {
    const ledger = ledgerOf();
    const file = place.file("quiet.db");
    const quiet = await openIn(file);
    await pinAll(quiet.engine, ledger);
    for (const version of ledger.versions) {
      const { commitVisits } = visitQueries(quiet.engine, bytecodeQueries(quiet.engine));
      for (const address of ledger.many.addresses()) await commitVisits(version, [visitOf(ledger.many, address, version)]);
      await sealQueries(quiet.engine).seal(version, { now: NOON });
    }
    await derivationQueries(quiet.engine).derive();
    await quiet.close();

    const database = (await open()).url();
    const { engine, close } = await openIn(database);
    await pinAll(engine, ledger);
    const tally: Tally = { deaths: 0, late: 0, refused: 0, seals: [] };
    await Promise.all(Array.from({ length: WORKERS }, (_, i) => work(database, ledger, seededRandom(i + 1), tally)));
    expect(tally.seals.toSorted()).toEqual(ledger.versions);
    expect(Math.min(tally.deaths, tally.late, tally.refused)).toBeGreaterThan(0);
    await derivationQueries(engine).derive();
    await close();
    await expectSamePublicRows(database, await publicRows(file));
  });
});
