import { describe, expect, test } from "vitest";
import { processIo, withStatusLine } from "../../src/core/cli/io.ts";
import type { NodeFlags } from "../../src/core/cli/options/declared-command.ts";
import { chooseNode, pacesOf } from "../../src/core/cli/options/node-session.ts";
import { parseBaseUrl } from "../../src/core/node/http/base-url.ts";
import { networks } from "../../src/core/node/networks.ts";
import { openNode } from "../../src/core/node/open-node.ts";

describe("networks", () => {
  test.each(Object.entries(networks))("%s can be opened, and is polite", async (_, preset) => {
    const node = openNode({ url: preset.url, rate: preset.rate, concurrency: preset.concurrency });
    expect(node.url).toBe(preset.url);
    expect(parseBaseUrl(preset.url).isOpen).toBe(false);
    expect(preset.rate).toBeGreaterThan(0);
    expect(preset.rate).toBeLessThanOrEqual(5);
    await node.close();
  });

  test("what is asked of Aptos without a key stays below its allowance", () => {
    // 40,000 compute units in 300 seconds, 250 for a simple read (node-contract, section 11.1).
    expect(networks["aptos-mainnet"].rate * 300 * 250).toBeLessThan(40_000);
  });

  test("a key raises the pace of the network it is of, and of nothing else; --rate stands over both", () => {
    const io = { ...withStatusLine(processIo()), env: { MOVEDEX_API_KEY: "k" } };
    const pace = (flags: Partial<NodeFlags>): number => chooseNode({ encoding: "auto", ...flags }, io).pace.rate;
    expect(pace({ network: "aptos-mainnet" })).toBe(networks["aptos-mainnet"].withKey.rate);
    expect(pace({ network: "movement-mainnet" })).toBe(networks["movement-mainnet"].rate);
    expect(pace({ network: "aptos-mainnet", rpc: "http://127.0.0.1:9/v1" })).toBe(networks["aptos-mainnet"].rate);
    expect(pace({ network: "aptos-mainnet", rate: 1 })).toBe(1);
    const without = { ...io, env: {} };
    const flags: NodeFlags = { encoding: "auto", network: "aptos-mainnet" };
    expect(chooseNode(flags, without).pace.rate).toBe(networks["aptos-mainnet"].rate);
    expect(pacesOf(chooseNode(flags, without), flags).map(({ perSecond }) => perSecond)).toEqual([0.4, 2.5]);
    expect(pacesOf(chooseNode(flags, io), flags).map(({ perSecond }) => perSecond)).toEqual([2.5]);
  });
});
