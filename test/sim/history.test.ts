import { beforeAll, describe, expect, test } from "vitest";
import { type History, replayHistory, startSimNode } from "../../sim/index.ts";
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

  test("raises an account's sequence number when a release changes its modules, and only then", () => {
    const { ledger, releases } = history;
    expect(ledger.sequenceNumber("0x1")).toBeGreaterThan(100n);
    expect(ledger.sequenceNumber("0x7")).toBeLessThan(ledger.sequenceNumber("0x1"));
    const record = ledger.account(ledger.addresses()[0] as never)?.record;
    expect(record?.at((releases[0]?.version ?? 0n) - 1n)).toBeUndefined();
    expect(record?.at(releases[0]?.version ?? 0n)?.sequenceNumber).toBe(1n);
  });

  test("serves a listing page by page, each module once, as one page serves it", async () => {
    const { ledger } = history;
    await using node = await startSimNode({ ledger });
    const listing = async (limit: number): Promise<string[]> => {
      const seen: string[] = [];
      let start: string | null = null;
      do {
        const query = `ledger_version=70500&limit=${limit}${start === null ? "" : `&start=${start}`}`;
        const response: Response = await fetch(`${node.url}/accounts/0x1/modules?${query}`);
        const page = (await response.json()) as { abi: { name: string } }[];
        seen.push(...page.map(({ abi }) => abi.name));
        start = response.headers.get("x-aptos-cursor");
      } while (start !== null);
      return seen;
    };
    const whole = await listing(9999);
    expect(whole).toEqual(ledger.modulesAt("0x1", 70_500n).map(({ name }) => name));
    expect(await listing(7)).toEqual(whole);
    expect(await listing(whole.length)).toEqual(whole);
  });

  test("prints an interface in the node's order of fields, with the fields of the generation", async () => {
    const { ledger } = history;
    const struct = async (generation: "A" | "C" | "D"): Promise<string[]> => {
      await using node = await startSimNode({ ledger, generation });
      const response = await fetch(`${node.url}/accounts/0x1/module/coin?ledger_version=1000`);
      const { abi } = (await response.json()) as { abi: { structs: object[] } };
      return Object.keys(abi.structs[0] ?? {});
    };
    expect((await struct("D")).join(" ")).toBe("name is_native is_event is_enum abilities generic_type_params fields variants");
    expect(await struct("C")).toEqual(["name", "is_native", "is_event", "abilities", "generic_type_params", "fields"]);
    expect(await struct("A")).toEqual(["name", "is_native", "abilities", "generic_type_params", "fields"]);
  });

  test("prints null where an older node cannot read the bytecode", async () => {
    await using node = await startSimNode({ ledger: history.ledger, generation: "A" });
    const response = await fetch(`${node.url}/accounts/0x1/modules`);
    const modules = (await response.json()) as { bytecode: string; abi: object | null }[];
    const newer = modules.filter(({ bytecode }) => Number.parseInt(bytecode.slice(10, 12), 16) > 7);
    expect(newer.length).toBeGreaterThan(100);
    expect(newer.every(({ abi }) => abi === null)).toBe(true);
  });

  test("refuses a network that has no release", () => {
    expect(() => replayHistory({ directory: frameworkHistory ?? "", network: "nowhere" })).toThrow("`nowhere`");
  });
});
