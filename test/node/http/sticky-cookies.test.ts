import { describe, expect, test } from "vitest";
import { balancer } from "../../../sim/faults/index.ts";
import { startSimNode } from "../../../sim/index.ts";
import { closing } from "../../../src/core/base/async.ts";
import { StickyCookies } from "../../../src/core/node/http/transport.ts";
import { openNode } from "../../../src/core/node/open-node.ts";
import { smallLedger } from "../small-ledger.ts";

async function heightsSeen(isSticky: boolean): Promise<Set<bigint>> {
  await using sim = await startSimNode({ ledger: smallLedger(), faults: balancer([0n, 3n, 5n], isSticky) });
  await using node = closing(openNode({ url: sim.url }));
  const heights = new Set<bigint>();
  for (let n = 0; n < 6; n++) heights.add((await node.index()).head.ledgerVersion);
  return heights;
}

describe("StickyCookies", () => {
  test("stay with one of a balancer's nodes, which without them take turns", async () => {
    expect((await heightsSeen(true)).size).toBe(1);
    expect((await heightsSeen(false)).size).toBe(3);
  });

  test("a later cookie of a name takes the place of the earlier, and one that is over goes", () => {
    const cookies = new StickyCookies();
    expect(cookies.header).toBeUndefined();
    cookies.keep(["AWSALB=a+/=; Expires=Wed, 01 Jan 2031 00:00:00 GMT; Path=/", "AWSALBCORS=b; Path=/; SameSite=None; Secure"]);
    expect(cookies.header).toBe("AWSALB=a+/=; AWSALBCORS=b");
    cookies.keep("AWSALB=c; Path=/");
    expect(cookies.header).toBe("AWSALB=c; AWSALBCORS=b");
    cookies.keep(["AWSALB=d; Max-Age=0", "AWSALBCORS=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
    expect(cookies.header).toBeUndefined();
  });

  test("nothing that a header cannot hold, and no more than a few, is kept", () => {
    const cookies = new StickyCookies();
    cookies.keep(["a=b\r\nx-evil: 1", "n ame=v", "=v", 'q="x y"', "", `long=${"x".repeat(5000)}`]);
    expect(cookies.header).toBeUndefined();
    for (let n = 0; n < 100; n++) cookies.keep(`n${n}=v`);
    expect(cookies.header?.split("; ")).toHaveLength(8);
  });
});
