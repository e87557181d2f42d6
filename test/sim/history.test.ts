import { beforeAll, describe, expect, test } from "vitest";
import { type History, replayHistory } from "../../sim/index.ts";
import { frameworkHistory } from "../support/shared-data.ts";

describe.skipIf(!frameworkHistory)("replayHistory (needs the recorded releases)", () => {
  let history: History;
  beforeAll(() => {
    history = replayHistory({ directory: frameworkHistory ?? "" });
  });

  test("stands at every release exactly as recorded, upgrades, additions and removals", () => {
    const { ledger, releases } = history;
    expect(releases).toHaveLength(134);
    for (const release of releases) {
      for (const version of [release.version, release.version + 999n]) {
        const standing = ledger
          .addresses()
          .flatMap((address) => ledger.modulesAt(address, version).map(({ name, code }) => [`${address}::${name}`, code.sha256]));
        expect(new Map(standing as [string, string][])).toEqual(release.modules);
      }
    }
    expect(ledger.head).toBe(135_000n);
    expect(history.releaseAt(999n)).toBeUndefined();
    expect(history.releaseAt(2999n)).toBe(releases[1]);
  });
});
