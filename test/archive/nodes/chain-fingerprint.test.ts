import { describe, expect, test } from "vitest";
import { fingerprintQueries } from "../../../src/archive/nodes/chain-fingerprint.ts";
import { pinQueries } from "../../../src/archive/snapshots/pins.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, night, type SeenAccount, temporaryStore } from "../../support/store/temporary-store.ts";

const account = (sequence: bigint, modules: Record<string, string>): SeenAccount => ({ sequence, modules });

describe("sampleFingerprint", () => {
  test("prefers modules that few share and that are no framework's, and accounts that have sent something", async () => {
    await using at = await temporaryStore();
    await night(at.engine, 10n, [
      [addressOf(1), account(0n, { coin: "framework" })],
      [addressOf(0x1111), account(0n, { shared: "same" })],
      [addressOf(0x2222), account(5n, { shared: "same", own: "unique" })],
    ]);
    const sample = await fingerprintQueries(at.engine).sampleFingerprint({ readableFrom: 5n, readableTo: 15n, modules: 3, accounts: 3 });
    expect(sample.modules.map(({ module }) => module)).toEqual(["own", "shared", "coin"]);
    expect(sample.modules[0]).toEqual({ version: 10n, address: addressOf(0x2222), module: "own", sha256: Buffer.from(sha256("unique")) });
    expect(sample.accounts).toEqual([
      { version: 10n, address: addressOf(0x2222), sequenceNumber: 5n, authenticationKey: Buffer.from(new Uint8Array(32).fill(7)) },
    ]);
  });

  test("keeps to sealed versions that are readable and that cover the account", async () => {
    await using at = await temporaryStore();
    const one = addressOf(0x1111);
    const other = addressOf(0x2222);
    await night(at.engine, 10n, [[one, account(1n, { a: "1" })]]);
    await night(at.engine, 20n, [
      [one, "missed"],
      [other, account(0n, {})],
    ]);
    await night(at.engine, 30n, [[one, account(1n, { a: "1" })]]);
    const versions = async (readableFrom: bigint, readableTo: bigint) =>
      (await fingerprintQueries(at.engine).sampleFingerprint({ readableFrom, readableTo, modules: 9, accounts: 9 })).modules.map(
        ({ version }) => version,
      );
    expect(await versions(0n, 25n)).toEqual([10n]);
    expect(await versions(15n, 25n)).toEqual([]);
    expect(await versions(15n, 99n)).toEqual([30n]);
    expect(await versions(40n, 99n)).toEqual([]);
  });
});

eachArchive("nearestPinnedHead", (open) => {
  test("is above or below, and of those whose node told epochs and blocks", async () => {
    await using at = await open();
    const { nearestPinnedHead } = fingerprintQueries(at.engine);
    const { createPin } = pinQueries(at.engine);
    expect(await nearestPinnedHead(5n)).toBeUndefined();
    for (const headVersion of [100n, 200n]) {
      const told = { headTimestampUsec: 7n, headEpoch: 2n, headBlockHeight: headVersion / 10n };
      await createPin({ chainId: 4, ledgerVersion: headVersion, headVersion, oldestVersion: 0n, records: "all", now: 1, ...told }, [
        addressOf(1),
      ]);
    }
    const found = await Promise.all([5n, 149n, 151n, 900n].map(nearestPinnedHead));
    expect(found.map((head) => head?.headVersion)).toEqual([100n, 100n, 200n, 200n]);
    expect(found[0]).toEqual({ headVersion: 100n, timestampUsec: 7n, epoch: 2n, blockHeight: 10n });
  });
});
