import { describe, expect, test } from "vitest";
import { createSampleLedger, type SampleLedger, startSimNode } from "../../sim/index.ts";
import { decodeModule } from "../../src/abi/decode.ts";
import { readSelfId } from "../../src/move/module/self-id.ts";

/** Every module at a version: `address::name` to its functions' names. */
function standing({ ledger, codeAccounts }: SampleLedger, version: bigint): Map<string, string[]> {
  return new Map(
    codeAccounts.flatMap((address) =>
      ledger.modulesAt(address, version).map(({ name, code }) => {
        const { abi } = decodeModule(code.bytes);
        return [`${address}::${name}`, abi.functions.map((item) => item.name)] as const;
      }),
    ),
  );
}

describe("createSampleLedger", () => {
  test("holds modules that decode and name the place where they stand", () => {
    const sample = createSampleLedger();
    sample.passDay();
    for (const address of sample.codeAccounts) {
      for (const { name, code } of sample.ledger.modulesAt(address, sample.ledger.head)) {
        expect(readSelfId(code.bytes)?.id).toEqual({ address, name });
      }
    }
  });

  test("shows every kind of thing an archive has columns for", () => {
    const sample = createSampleLedger();
    sample.passDay();
    const modules = sample.codeAccounts.flatMap((address) =>
      sample.ledger.modulesAt(address, sample.ledger.head).map(({ code }) => decodeModule(code.bytes)),
    );
    const functions = modules.flatMap(({ abi }) => abi.functions);
    const structs = modules.flatMap(({ abi }) => abi.structs);
    expect(new Set(functions.map(({ visibility }) => visibility))).toEqual(new Set(["private", "friend", "public"]));
    expect(functions.some(({ isNative }) => isNative)).toBe(true);
    expect(functions.some(({ isEntry, visibility }) => isEntry && visibility === "private")).toBe(true);
    expect(functions.some(({ isView, visibility }) => isView && visibility === "private")).toBe(true);
    expect(functions.some(({ typeParams }) => typeParams.some(({ constraints }) => constraints.length > 0))).toBe(true);
    expect(functions.some(({ params }) => params.some(({ kind }) => kind === "function"))).toBe(true);
    expect(structs.some(({ isEnum }) => isEnum)).toBe(true);
    expect(structs.some(({ isEvent }) => isEvent)).toBe(true);
    expect(structs.some(({ attributes }) => attributes.some(({ kind }) => kind === 3))).toBe(true);
    expect(structs.some(({ typeParams }) => typeParams.some(({ isPhantom }) => isPhantom))).toBe(true);
    expect(modules.some(({ abi }) => abi.friends.length > 0)).toBe(true);
    expect(modules.some(({ abi }) => abi.errors.length > 0)).toBe(true);
    expect(new Set(modules.map(({ bytecodeVersion }) => bytecodeVersion))).toEqual(new Set([6, 7, 8, 9, 10]));
  });

  test("has a day in which an upgrade drops a function, a module comes, an enum grows, a key changes", () => {
    const sample = createSampleLedger();
    const before = sample.ledger.head;
    const day = sample.passDay();
    const [old, recent] = [standing(sample, before), standing(sample, sample.ledger.head)];
    const [exchange] = [...recent.keys()].filter((id) => id.endsWith("::orders")).map((id) => id.split("::")[0]);
    expect([...recent.keys()].filter((id) => !old.has(id))).toEqual([`${exchange}::orders`]);
    expect(old.get(`${exchange}::pool`)).toContain("spot_price");
    expect(recent.get(`${exchange}::pool`)).not.toContain("spot_price");
    expect(recent.get(`${exchange}::pool`)).toContain("quote");
    const changed = (version: bigint): string[] => {
      const [was, is] = [version - 1n, version].map((at) =>
        sample.codeAccounts.flatMap((address) => sample.ledger.modulesAt(address, at).map(({ name, code }) => `${name} ${code.sha256}`)),
      );
      return (is ?? []).filter((line) => !was?.includes(line)).map((line) => line.split(" ")[0] ?? "");
    };
    expect(changed(day.badgeUpgraded)).toEqual(["badge"]);
    expect(changed(day.poolUpgraded)).toEqual(["pool"]);
    expect(changed(day.ordersPublished)).toEqual(["orders"]);
    expect(sample.ledger.sequenceNumber(sample.trader)).toBe(13n);
  });

  test("keeps the first night readable through the day", () => {
    const sample = createSampleLedger();
    const night = sample.ledger.head;
    sample.passDay();
    expect(sample.ledger.oldest).toBeLessThan(night);
    expect(sample.ledger.oldest).toBeGreaterThan(0n);
  });

  test("is served, without a record for the object that holds code", async () => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger, statelessAccounts: false });
    const vesting = sample.codeAccounts[3];
    expect((await fetch(`${node.url}/accounts/${vesting}`)).status).toBe(404);
    const modules = (await (await fetch(`${node.url}/accounts/${vesting}/modules`)).json()) as { abi: { name: string } }[];
    expect(modules.map(({ abi }) => abi.name)).toEqual(["vesting"]);
  });

  test("a module with a newer version is null to a node that does not read it, and an interface to one that does", async () => {
    const { ledger } = createSampleLedger();
    const coin = ledger.modulesAt("0x1", 0n).find(({ name }) => name === "coin");
    ledger.transact((writer) => writer.publish("0x1", "coin", coin?.code.asVersion(11) ?? new Uint8Array()));
    await using node = await startSimNode({ ledger });
    await using newer = await startSimNode({ ledger, maxBytecodeVersion: 11 });
    const abi = async (url: string): Promise<unknown> =>
      ((await (await fetch(`${url}/accounts/0x1/module/coin`)).json()) as { abi: unknown }).abi;
    expect(await abi(node.url)).toBeNull();
    expect(await abi(newer.url)).toMatchObject({ address: "0x1", name: "coin", exposed_functions: expect.any(Array) });
  });
});
