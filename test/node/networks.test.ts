import { describe, expect, test } from "vitest";
import { parseBaseUrl } from "../../src/node/http/base-url.ts";
import { networks } from "../../src/node/networks.ts";
import { openNode } from "../../src/node/open-node.ts";

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
});
