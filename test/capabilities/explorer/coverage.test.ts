import { afterAll, expect } from "vitest";
import { faults, manyAccounts, startSimNode, writeModule } from "../../../sim/index.ts";
import { statusQueries } from "../../../src/core/db/archive/read/status-queries.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { asWords, ManualClock, runCli, sealModules, temporaryDirectory, test } from "../../support/index.ts";
import { noAnswer, pinAt } from "../../support/store/temporary-store.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { variedLedger } from "../serve/support/varied-ledger.ts";
import { textOfHtml } from "./support/page-text.ts";
import { servePages } from "./support/served-pages.ts";

const DAY_MS = 86_400_000;

/**
 * An archive with a night of each kind: backfilled versions (read, inferred, lost to the horizon between two runs, still to be read),
 * a night, one that took no head, days without any, a night that a target was taken off before, and one with a gap.
 */
async function everyKindOfNight(db: string): Promise<{ readonly addresses: readonly string[]; readonly clock: ManualClock }> {
  const many = manyAccounts(4, { packages: 2 });
  const addresses = [...many.addresses()];
  many.ledger.advanceTo(11_400n);
  many.upgradeEvery(3);
  many.ledger.advanceTo(15_000n);
  const clock = new ManualClock({ skipSleeps: true, startMs: 1_767_225_600_000 + 400_000 });
  await using node = await startSimNode({ ledger: many.ledger });
  const run = async (expected: readonly number[], ...argv: string[]) => {
    const { code, stderr } = await runCli([...argv, "--db", db], { clock });
    expect(expected, `${argv.join(" ")}: ${stderr}`).toContain(code);
  };
  const asked = ["--rpc", node.url, "--rate", "0"];
  await run([0], "targets", "add", ...addresses);
  await run([0], "backfill", ...asked, "--every", "1000", "--from", "10000", "--to", "14000", "--max-requests", "13");
  many.ledger.advanceTo(40_000n);
  many.ledger.pruneTo(12_500n);
  await run([0, 3], "backfill", ...asked, "--every", "10000", "--from", "20000", "--to", "40000", "--max-requests", "12");
  await run([0], "sync", ...asked);
  await clock.advance(DAY_MS);
  await run([7], "sync", ...asked);
  await clock.advance(3 * DAY_MS);
  await run([0], "targets", "remove", addresses[3] as string);
  many.ledger.advance(1000n);
  await run([0], "sync", ...asked);
  return { addresses, clock };
}

const kept = new AsyncDisposableStack();
afterAll(() => kept.disposeAsync());
const db = kept.use(temporaryDirectory()).file("archive.db");
const { addresses, clock } = await everyKindOfNight(db);
const served = kept.use(await servePages(db, { clock }));
const { text: page } = await served.get("/coverage");

/** The line of an account. */
function rowOf(address: string, of = page): string {
  return new RegExp(`<tr><td><a [^>]*title="${address}"[\\s\\S]*?</tr>`).exec(of)?.[0] ?? "";
}

/** An account's bar, as `first to last: what`, with the share of the width at which each stretch begins. */
function barOf(address: string): string[] {
  const rects = rowOf(address).matchAll(/<rect class="(\w+)" x="([^"]*)"[^>]*><title>([^<]*)</g);
  return [...rects].map(([, kind, x, words]) => `${kind} ${x} ${words}`);
}

test("an account that fell out of the targets stands first, says so, and was not asked about since", () => {
  const removed = addresses[3] as string;
  expect(page.indexOf(removed)).toBeLessThan(page.indexOf(addresses[0] as string));
  expect(textOfHtml(rowOf(removed))).toContain("off the list of targets since 2026-01-05 00:07 UTC");
  expect(barOf(removed).at(-1)).toMatch(/^read [\d.]+% (?:[\d,]+ to )?40,000: read$/);
});

test("versions that were lost between two runs are listed with the reason, and each run says what it took", () => {
  expect(textOfHtml(page)).toContain("pruned before it was read: the node's oldest version is 12500");
  const [, row] = /<td>(?:<span class="short-cell">)?2026-01-05 00:07(?:<\/span>)?<\/td>([\s\S]*?)<\/tr>/.exec(page) ?? [];
  expect(textOfHtml((row ?? "").replaceAll("</td>", " ")).split(/ +/)).toEqual(asWords`sync done 0 ms 10 0 9.7 kB 3 0 41,000 ${""}`);
});

test("accounts with gaps stand first, also after a night that read them, and a page says why", async ({ place }) => {
  const scene = variedLedger();
  scene.next();
  const lost = scene.accounts.at(-1) as string;
  const db = place.file("gaps.db");
  {
    const plan = faults.planFaults([{ fault: faults.storageFailure("stateValue"), match: ({ target }) => target.includes(lost) }]);
    await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
    expect(await crawl(db, node.url, scene.accounts)).toMatchObject({ gaps: 1 });
  }
  scene.next();
  // So the second night cannot fill what the first one missed.
  scene.ledger.pruneTo(scene.ledger.head);
  await using node = await startSimNode({ ledger: scene.ledger });
  expect(await crawl(db, node.url, scene.accounts)).toMatchObject({ gaps: 0 });
  await using served = await servePages(db);
  const get = async (path: string) => (await served.get(path)).text;
  const lines = [...(await get("/coverage")).matchAll(/<td><a class="mono" href="[^"]*" title="([^"]+)">/g)]
    .slice(0, scene.accounts.length)
    .map(([, address]) => address);
  expect([lines[0], lines.length]).toEqual([lost, scene.accounts.length]);
  const page = await get("/gaps");
  expect(textOfHtml(page)).toContain("1 answer missing");
  expect(page).toContain(`./account/${lost}`);
  expect(textOfHtml(page)).toMatch(/server_error|unable|unknown_error|bad_answer/);
  expect(textOfHtml(await get("/gaps?night=7"))).toContain("No snapshot of this version has a gap");
  await using store = await openStore(db, { mode: "read" });
  const [whole, missing] = (await statusQueries(store.engine).listSnapshots()).map(({ ledgerVersion }) => ledgerVersion);
  expect(textOfHtml(await get(`/gaps?night=${missing}`))).toContain("1 answer missing");
  // It counts its own alone.
  expect(textOfHtml(await get(`/gaps?night=${whole}`))).not.toContain("missing");
});

test("/gaps lists what it counts: of a night that was given up all, and of all versions what no later night asks again", async ({
  place,
}) => {
  const db = place.file("given-up.db");
  const module = writeModule({ address: "0xcafe", name: "m" });
  await sealModules(db, [{ version: 100n, accounts: { "0xcafe": [module], "0x7": "timeout" } }]);
  const addresses = ["0xcafe", "0x7"] as Address[];
  await using store = await openStore(db, { mode: "write", now: () => 0 });
  await snapshotQueries(store.engine).createSnapshot({ ...pinAt(200n), chainId: 4, now: 0 }, addresses);
  for (const address of addresses) await gapQueries(store.engine).commitGap(200n, { ...noAnswer, address, isFinal: false }, 0);
  expect((await sealQueries(store.engine).seal(200n, { now: 0 })).status).toBe("abandoned");
  await using served = await servePages(db);
  const told = async (path: string) => {
    const { text } = await served.get(path);
    return [/(\d+) answers? missing/.exec(text)?.[1], text.match(/<tr><td><a class="mono" [^>]*account/g)?.length];
  };
  expect(await told("/gaps")).toEqual(["1", 1]);
  expect(await told("/gaps?night=200")).toEqual(["2", 2]);
});
