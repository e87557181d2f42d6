import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { byteCache } from "../../../src/capabilities/serve/http/bounds.ts";
import { negotiateEncoding } from "../../../src/capabilities/serve/http/negotiation.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { askDatabase, jsonOf, textOf } from "./support/served-archive.ts";
import { variedArchive } from "./support/varied-archive.ts";

const place = temporaryDirectory();
const db = place.file("archive.db");
await variedArchive(db);

const served = await askDatabase(db);
const { ask } = served;
afterAll(() => served[Symbol.asyncDispose]());

const listing = "/v1/accounts/0x1/modules";

describe("caching", () => {
  test("whoever has it gets 304 with the headers and no body", async () => {
    const first = await ask(`${listing}?limit=1`);
    const etag = first.headers["etag"] as string;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await ask(`${listing}?limit=1`, { headers: { "if-none-match": known } });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers["x-aptos-cursor"]).toBe(first.headers["x-aptos-cursor"]);
    }
    expect((await ask(`${listing}?limit=1`, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("the same bytes have the same name at every version, and JSON and BCS do not share one", async () => {
    const tag = async (query: string, headers = {}) => (await ask(`/v1/accounts/0x1/module/bank${query}`, { headers })).headers["etag"];
    expect(await tag("?ledger_version=500")).toBe(await tag("?ledger_version=1400"));
    expect(await tag("")).not.toBe(await tag("", { accept: "application/x-bcs" }));
  });
});

describe("packing", () => {
  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
    ["zstd", zstdDecompressSync],
  ] as const)("%s gives the same bytes under a name of its own", async (packing, unpack) => {
    const plain = await ask(listing);
    for (const turn of [1, 2]) {
      const packed = await ask(listing, { headers: { "accept-encoding": packing } });
      expect(packed.headers["content-encoding"], `turn ${turn}`).toBe(packing);
      expect(unpack(packed.body).equals(plain.body)).toBe(true);
      expect(packed.headers["etag"]).toBe(String(plain.headers["etag"]).replace(/"$/, `-${packing}"`));
      expect(packed.headers["vary"]).toBe("Origin, Accept, Accept-Encoding");
    }
  });

  test("small answers and refusals stay as they are", async () => {
    for (const path of ["/v1/accounts/0x1", "/v1/accounts/zz"]) {
      expect((await ask(path, { headers: { "accept-encoding": "gzip" } })).headers["content-encoding"]).toBeUndefined();
    }
  });
});

describe("browsers of any origin", () => {
  const origin = { origin: "https://example.org" };

  test("may read answers and see every header", async () => {
    const { headers } = await ask(`${listing}?limit=1`, { headers: origin });
    expect(headers).toMatchObject({
      "access-control-allow-origin": "https://example.org",
      "access-control-allow-credentials": "true",
      vary: "Origin, Accept, Accept-Encoding",
    });
    const exposed = String(headers["access-control-expose-headers"]).split(", ");
    expect(exposed).toEqual(expect.arrayContaining(Object.keys(headers).filter((name) => /^(x-aptos|x-node|x-movedex)-|etag/.test(name))));
    // One that is cached is named to each origin anew, and an error too.
    const other = await ask(`${listing}?limit=1`, { headers: { origin: "http://localhost:3000" } });
    expect(other.headers["access-control-allow-origin"]).toBe("http://localhost:3000");
    const refused = await ask("/v1/nowhere", { headers: origin });
    expect([refused.headers["access-control-allow-origin"], refused.headers["vary"]]).toEqual(["https://example.org", "Origin"]);
    expect((await ask(`${listing}?limit=1`)).headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("are told before a request that they may send it", async () => {
    const asked = { ...origin, "access-control-request-method": "GET", "access-control-request-headers": "x-aptos-client" };
    const { status, headers } = await ask("/v1/accounts/0x1", { method: "OPTIONS", headers: asked });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "access-control-allow-methods": "GET,HEAD", "access-control-allow-headers": "x-aptos-client" });
    const post = { ...origin, "access-control-request-method": "POST" };
    expect((await ask("/v1/accounts/0x1", { method: "OPTIONS", headers: post })).status).toBe(403);
  });

  test("get no header names back that are none", async () => {
    const asked = { ...origin, "access-control-request-method": "GET", "access-control-request-headers": "a(b)" };
    const { headers } = await ask("/v1", { method: "OPTIONS", headers: asked });
    expect(headers["access-control-allow-headers"]).toBeUndefined();
  });
});

test("a page that would be too large ends early, with a cursor by which nothing is missed", async () => {
  await using small = await askDatabase(db, { limits: { pageBytes: 3000 } });
  const whole = JSON.parse(textOf(await ask(listing))) as unknown[];
  const gathered: unknown[] = [];
  let query = "";
  let pages = 0;
  do {
    const page = await small.ask(listing + query);
    gathered.push(...(JSON.parse(textOf(page)) as unknown[]));
    const cursor = page.headers["x-aptos-cursor"];
    query = cursor === undefined ? "" : `?start=${cursor}`;
    pages += 1;
  } while (query !== "");
  expect(pages).toBeGreaterThan(3);
  expect(gathered).toEqual(whole);
});

describe("an older node", () => {
  test("has no key in its index, and no `$` in names and no native trading in cursors", async () => {
    await using older = await askDatabase(db, { generation: "B" });
    expect(jsonOf(await ask("/v1"))).toHaveProperty("encryption_key", null);
    expect(jsonOf(await older.ask("/v1"))).not.toHaveProperty("encryption_key");
    for (const [target, status] of [
      ["/v1/accounts/0x1/module/pack$Coin", 404],
      [`/v1/accounts/0x1/modules?start=02${"00".repeat(40)}`, 200],
    ] as const) {
      expect([(await ask(target)).status, (await older.ask(target)).status]).toEqual([status, 400]);
    }
  });

  test("prints the ABI of its generation", async () => {
    await using oldest = await askDatabase(db, { generation: "A" });
    const [now, then] = await Promise.all([ask, oldest.ask].map(async (of) => jsonOf(await of("/v1/accounts/0x1/module/bank"))["abi"]));
    expect(now).toHaveProperty("structs.0.variants");
    expect(then).not.toHaveProperty("structs.0.is_event");
  });
});

test.each([
  [undefined, undefined],
  ["identity", undefined],
  ["", undefined],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, deflate, br", "br"],
  ["br;q=0.5, gzip", "gzip"],
  ["br; q=0, gzip;q=0", undefined],
  ["*", "gzip"],
  ["*;q=0", undefined],
  ["deflate", undefined],
  ["identity;q=1, gzip;q=0.5", undefined],
  ["GZIP", "gzip"],
  [",".repeat(100_000), undefined],
])("negotiateEncoding %s is %s", (accepted, packing) => {
  expect(negotiateEncoding(accepted)).toBe(packing);
});

test("a cache of bytes drops what was used longest ago, and takes nothing that would empty the rest", () => {
  const cache = byteCache<string>(100);
  for (const key of ["a", "b", "c", "d"]) cache.set(key, key, 25);
  cache.get("a");
  cache.set("e", "e", 25);
  expect(["a", "b", "c", "d", "e"].map((key) => cache.get(key))).toEqual(["a", undefined, "c", "d", "e"]);
  cache.set("f", "f", 26);
  cache.set("a", "A", 10);
  cache.set("g", "g", 15);
  expect(["f", "a", "c", "d", "e", "g"].map((key) => cache.get(key))).toEqual([undefined, "A", "c", "d", "e", "g"]);
});
