import { expect, test } from "vitest";
import type { ModuleWithBytes } from "../../../src/capabilities/changes/compare/difference.ts";
import type { Side } from "../../../src/capabilities/changes/compare/sides.ts";
import { weighByUsage } from "../../../src/capabilities/changes/compare/usage.ts";
import type { Ledger } from "../../../src/capabilities/compare/archive-ledger.ts";
import { type BuildCheck, checkBuild, verdictOf } from "../../../src/capabilities/compare/check/build-check.ts";
import { checkSentence } from "../../../src/capabilities/compare/check/run.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatModuleId } from "../../../src/core/move/module-id.ts";
import { sized } from "../../run-size.ts";
import { describeReleases, moduleReader, neighbours, type RecordedRelease, readReleases, upgradedModules } from "../../support/index.ts";
import { refusals } from "../../support/vm/vm-compatibility.ts";

/** What the VM's check of attributes refuses, beside its check of compatibility. */
const ofAttributes = new Set(["event-removed", "resource-group-changed", "resource-group-member-changed"]);

describeReleases("each recorded release, checked as a build against the one before", () => {
  const read = moduleReader();
  const releases = readReleases();

  const side = (release: RecordedRelease, wanted: Iterable<string>): Side => ({
    label: release.date,
    modules: new Map(
      [...wanted].flatMap((id) => {
        const sha256 = release.modules.get(id);
        if (sha256 === undefined) return [];
        const { address, name } = read(sha256).abi;
        return [[id, { address, name, sha256 }] as const];
      }),
    ),
    unknown: async () => undefined,
    load:
      async () =>
      ({ sha256 }) => ({ module: read(sha256) }),
  });
  const ledgerOf = (release: RecordedRelease): Ledger => ({
    side: async (modules) => side(release, Array.from(modules, formatModuleId)),
    versionOf: async () => 0n,
    modulesOf: async (address) => [...release.modules.values()].map((sha256) => read(sha256).abi).filter((abi) => abi.address === address),
    weighing: () => ({
      weigh: (module, finding) => weighByUsage(module, finding, async () => []),
      carried: async () => ({ changes: [], isCut: false }),
    }),
    usage: { version: 0n, accounts: 0, gaps: 0 },
    handlesCount: undefined,
  });
  const check = (build: RecordedRelease, on: RecordedRelease): Promise<BuildCheck> =>
    checkBuild({ modules: side(build, build.modules.keys()), dependencies: side(build, build.modules.keys()) }, ledgerOf(on), "refused");

  test("is refused if and only if the VM's own rules refuse one of its modules; it always links", async () => {
    const versioned = (module: ModuleWithBytes) => ({ ...module, bytecodeVersion: decodeModule(module.bytes).bytecodeVersion });
    let refused = 0;
    let accepted = 0;
    for (const [before, release] of neighbours(releases, sized(19, 1))) {
      const found = await check(release, before);
      const accounts = new Set(Array.from(release.modules.keys(), (id) => id.split("::")[0]));
      // A genesis is not linked: experimental modules of 2025 expect attributes that the framework beside them does not have.
      const strange = found.links.filter(({ module, expected }) => module.address === "0x7" && expected.startsWith("#[persistent] "));
      expect(found.links.length - strange.length, release.date).toBe(0);
      expect(found.unlinked).toEqual([]);
      const refusing = upgradedModules(before, release).filter(
        ([, old, now]) => refusals(versioned(read(old)), versioned(read(now))).length > 0,
      );
      const expected = new Set(refusing.map(([id]) => id));
      const ours = found.upgrade.modules.filter(({ findings }) =>
        findings.some(({ rule, upgrade }) => upgrade === "refused" && !ofAttributes.has(rule)),
      );
      expect(new Set(ours.map(({ module }) => formatModuleId(module))), release.date).toEqual(expected);
      const byAttributes = found.upgrade.modules.some(({ findings }) => findings.some(({ rule }) => ofAttributes.has(rule)));
      const isRefused = expected.size > 0 || byAttributes || strange.length > 0;
      expect(verdictOf(found), release.date).toBe(isRefused ? "breaking" : "done");
      expect(checkSentence(found).startsWith("the VM would refuse")).toBe(isRefused);
      expect(found.missing.map(formatModuleId).toSorted()).toEqual(
        [...before.modules.keys()].filter((id) => !release.modules.has(id) && accounts.has(id.split("::")[0])).toSorted(),
      );
      refused += isRefused ? 1 : 0;
      accepted += isRefused ? 0 : 1;
    }
    expect(refused + accepted).toBe(sized(7, 133));
    expect(refused).toBeGreaterThan(sized(0, 20));
    expect(accepted).toBeGreaterThan(sized(2, 50));
  });
});
