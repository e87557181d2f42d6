import { describe, expect, test } from "vitest";
import { differenceOf } from "../../../src/abi/compare/difference.ts";
import { decodeModule } from "../../../src/abi/decode.ts";
import { sized } from "../../run-size.ts";
import { changedModules, moduleReader, neighbours, readReleases } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { refusals } from "../../support/vm/vm-compatibility.ts";

const ofAttributes = new Set(["event-removed", "resource-group-changed", "resource-group-member-changed"]);

describe.skipIf(frameworkHistory === undefined)("the 134 releases of the framework history (skipped where they are not there)", () => {
  test("can all be compared, and the rules refuse what the VM's own check refuses", () => {
    const directory = frameworkHistory as string;
    const releases = readReleases(directory);
    const read = moduleReader(directory);
    const withVersion = (sha256: string) => ({ ...read(sha256), bytecodeVersion: decodeModule(read(sha256).bytes).bytecodeVersion });
    let compared = 0;
    let refused = 0;
    for (const [release, next] of neighbours(releases, sized(6, 1))) {
      for (const [id, old, now] of changedModules(release, next)) {
        const found = differenceOf(old === undefined ? undefined : read(old), now === undefined ? undefined : read(now));
        expect(found?.findings.length, `${release.date} ${id}`).toBeGreaterThan(0);
        compared += 1;
        if (old === undefined || now === undefined) continue;
        const reasons = refusals(withVersion(old), withVersion(now));
        const ours = found?.findings.some(({ upgrade, rule }) => upgrade === "refused" && !ofAttributes.has(rule));
        expect(ours, `${release.date} ${id}: ${reasons.join("; ")}`).toBe(reasons.length > 0);
        if (ours) refused += 1;
      }
    }
    expect(releases).toHaveLength(134);
    expect(compared).toBeGreaterThanOrEqual(sized(150, 1987));
    expect(refused).toBeGreaterThan(sized(3, 50));
  });
});
