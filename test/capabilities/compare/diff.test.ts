import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { writeModule } from "../../../sim/index.ts";
import { ended, runCli, test } from "../../support/index.ts";

// What it prints, and how it ends, is held in test/golden/outputs/diff, diff-sides, diff-words and diff-users.
test("diff fails on upgrades that the VM refuses, whomever the change concerns", async ({ place }) => {
  const file = (name: string, parts: object): string => {
    writeFileSync(place.file(name), writeModule({ address: "0xcafe", name: "m", functions: [{ name: "f", entry: true, ...parts }] }));
    return place.file(name);
  };
  const diff = (...args: string[]) => runCli(["diff", ...args]);
  const cases: [severity: string, before: object, after: object][] = [
    ["safe", { params: ["signer"] }, { params: ["&signer"] }],
    ["safe", {}, { returns: ["u64"] }],
    ["dangerous", { typeParams: [""] }, { typeParams: ["drop"] }],
    ["dangerous", { visibility: "friend" }, {}],
  ];
  for (const [i, [severity, before, after]] of cases.entries()) {
    const [from, to] = [file(`refused-${i}.mv`, before), file(`refusing-${i}.mv`, after)];
    const { code, stdout } = await diff(from, to, "--fail-on", "refused");
    expect([code, stdout]).toEqual([100, expect.stringContaining("; the VM refuses 1")]);
    expect(stdout).toContain(`✗ ${severity}`);
    await ended(diff(from, to, "--fail-on", "breaking"), 100);
    await ended(diff(from, to, "--fail-on", "refused", "--audience", "readers"), 100);
    expect((await diff(to, from, "--fail-on", "breaking")).code).toBe(i === 1 || i === 0 ? 100 : 0);
  }
});
