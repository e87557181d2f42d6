import { readFileSync, rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { respond } from "../../../sim/http/routes.ts";
import { startSimNode } from "../../../sim/index.ts";
import { moduleStateKey } from "../../../sim/ledger/state-key.ts";
import type { NodeSettings } from "../../../sim/ledger/view.ts";
import { parseU64 } from "../../../src/core/base/numbers.ts";
import { parseAddress } from "../../../src/core/move/address.ts";
import { sized } from "../../run-size.ts";
import { asWords, temporaryDirectory } from "../../support/index.ts";
import { askDatabase, crawl, serveDatabase, textOf } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

/** A request as it is sent to both. */
type Shot = { readonly method: string; readonly target: string; readonly headers: Record<string, string> };

const settings: NodeSettings = {
  generation: "D",
  headerSpelling: "both",
  maxPageSize: 9999,
  statelessAccounts: true,
  disabledFormats: [],
  maxBytecodeVersion: 10,
  isValidator: false,
  gitHash: "movedex-0.0.0",
};
const scene = variedLedger();
const sealed: bigint[] = [];
const place = temporaryDirectory();
const db = place.file("archive.db");

const node = await startSimNode({ ledger: scene.ledger, headerSpelling: "both", gitHash: settings.gitHash, now: () => 0 });
for (let version = scene.next(); version !== undefined; version = scene.next()) {
  const summary = await crawl(db, node.url, scene.accounts);
  expect(summary).toMatchObject({ status: "sealed", ledger_version: `${version}` });
  sealed.push(version);
}
scene.ledger.pruneTo(sealed[0] as bigint);
const served = await serveDatabase(db);
const direct = await askDatabase(db);
const ask = direct.ask;
afterAll(async () => {
  await direct[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await node.close();
  rmSync(place.path, { recursive: true });
});

const oneOf = fc.constantFrom;
const digits = (address: string): string => address.slice(2);
const goodAddress = oneOf(...scene.accounts).chain((address) =>
  oneOf(
    ...asWords`${address} ${digits(address)} 0x${digits(address).toUpperCase()} 0x${digits(address).padStart(64, "0")}
      ${digits(address).padStart(64, "0")} ${address.replace("0x", "%30x")} ${address.replace("0x", "%2530x")}`,
  ),
);
const badAddress = oneOf(...asWords`0x 0X1 zz 0x1g ${"1".repeat(65)} ${"1".repeat(66)} 0x% %zz -1 0x1%20 é 0x00é %00 0x0%27 \ %C2%A0`);
const anyAddress = fc.oneof(
  { weight: 12, arbitrary: goodAddress },
  { weight: 2, arbitrary: badAddress },
  { weight: 1, arbitrary: oneOf(scene.stranger, "0x77") },
);
const moduleName = fc.oneof(
  { weight: 6, arbitrary: oneOf(...scene.moduleNames) },
  {
    weight: 2,
    arbitrary: oneOf("nope", "COIN", "coin%20", "9a", "_", "$", "$x", "a-b", "%63oin", "a".repeat(300), "<SELF>", "<SELF>_1", "<SELF>_"),
  },
);
const inside = fc.integer({ min: 499, max: 1401 }).map(String);
const version = fc.oneof(
  { weight: 4, arbitrary: oneOf("500", "900", "1400", "+900", "000900") },
  { weight: 3, arbitrary: oneOf("0", "499", "1401", "18446744073709551615", "9223372036854775808") },
  { weight: 2, arbitrary: oneOf("-1", "", "x", "1.5", "18446744073709551616", " 900", "0x384", "９") },
  { weight: 1, arbitrary: inside },
);
const limit = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }).map(String) },
  oneOf("0", "", "-1", "65535", "65536", "9999", "10000", "x", "+3", "007", "1e1"),
);
const cursorOf = (address: string, name: string): string =>
  moduleStateKey(parseAddress(address) as NonNullable<ReturnType<typeof parseAddress>>, name).toString("hex");
const goodCursor = fc
  .tuple(oneOf(...scene.accounts), oneOf(...scene.moduleNames, "absent", "z".repeat(93), "zz"))
  .map(([address, name]) => cursorOf(address, name));
const one = "0".repeat(63);
const cursor = fc.oneof(
  { weight: 5, arbitrary: goodCursor },
  { weight: 1, arbitrary: goodCursor.map((hex) => hex.toUpperCase()) },
  { weight: 1, arbitrary: goodCursor.map((hex) => `0x${hex}`) },
  { weight: 2, arbitrary: fc.tuple(goodCursor, fc.nat(90)).map(([hex, cut]) => hex.slice(0, cut)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(goodCursor, fc.nat(200), oneOf("0", "1", "7", "f"))
      .map(([hex, at, digit]) => hex.slice(0, at) + digit + hex.slice(at + 1)),
  },
  {
    weight: 2,
    arbitrary: oneOf(...asWords`${""} 00 01 02 ff ff00 03 zz 0 01${"11".repeat(32)} 01${"11".repeat(31)} 02${"11".repeat(40)} 00${one}1`),
  },
  // Resources of the account: before, among and after its modules.
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 34, max: 127 })
      .map((length) => `00${one}1${length.toString(16).padStart(2, "0")}01${"22".repeat(length - 1)}`),
  },
  // The same with a struct tag that can be read: address, one letter, a name, no type argument or one.
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 60 }), oneOf("00", "0101", "010601", "0112", "01061e"), oneOf("01", "02"))
      .map(([name, types, kind]) => {
        const path = `${kind}${one}10161${name.toString(16).padStart(2, "0")}${"61".repeat(name)}${types}`;
        return `00${one}1${(path.length / 2).toString(16).padStart(2, "0")}${path}`;
      }),
  },
);

const pair = (name: string, value: fc.Arbitrary<string>) =>
  fc.option(
    value.map((text) => `${name}=${encodeURIComponent(text)}`),
    { nil: undefined },
  );
const join = (pairs: readonly (string | undefined)[]): string => {
  const given = pairs.filter((it) => it !== undefined);
  return given.length === 0 ? "" : `?${given.join("&")}`;
};
const versionPair = pair("ledger_version", version);
const junk = fc.option(oneOf("colour=blue", "ledger_version=900&ledger_version=1", "limit=2&limit=0", "=", "&&", "%=%", "start"), {
  nil: undefined,
});
const accountPath = fc.tuple(anyAddress, versionPair, junk).map(([a, v, j]) => `/v1/accounts/${a}${join([v, j])}`);
const modulePath = fc
  .tuple(anyAddress, moduleName, versionPair, junk)
  .map(([a, n, v, j]) => `/v1/accounts/${a}/module/${n}${join([v, j])}`);
const modulesPath = fc
  .tuple(anyAddress, versionPair, pair("start", cursor), pair("limit", limit), junk)
  .map(([a, v, s, l, j]) => `/v1/accounts/${a}/modules${join([v, s, l, j])}`);
const otherPath = oneOf(
  ...asWords`
  /v1 /v1/ /v1?x=1 /v1/-/healthy /v1/-/healthy?duration_secs=x /v1/-/healthy?duration_secs= /v1/-/healthy?duration_secs=4294967296 /v1// /v2
  /v1/accounts /v1/accounts/ /v1/accounts/0x1/ /v1/accounts/0x1/modules/ /v1/accounts//modules /v1/accounts//module/coin /v1/accounts//
  /v1/accounts/0x1/module /v1/accounts/0x1/module/ /v1/accounts/0x1/module/coin/x /v1/accounts/0x1/resources /v1/transactions
  /v1/%61ccounts/0x1 /v1/accounts/0x1%2Fmodules
`,
);
const accept = fc.option(
  oneOf(
    "application/json",
    "application/x-bcs",
    "*/*",
    "text/html",
    "application/x-bcs, application/json",
    "application/json, application/x-bcs",
    "application/x-bcs;q=0.9",
    "application/json;q=0.1, application/x-bcs",
    "application/x-bcs; charset=x",
    "garbage",
    ",,",
    "application/x-bcs, */*",
    "APPLICATION/X-BCS",
    "application/x-bcs;",
    "application/x-bcs ;q=1",
    "Application/Json, application/x-bcs",
    " application/x-bcs ",
  ),
  { nil: undefined },
);
const method = fc.oneof(
  { weight: 12, arbitrary: oneOf("GET") },
  { weight: 2, arbitrary: oneOf("HEAD") },
  { weight: 1, arbitrary: oneOf("PUT", "DELETE", "PATCH", "OPTIONS") },
);
const path = fc.oneof(
  { weight: 4, arbitrary: modulesPath },
  { weight: 3, arbitrary: modulePath },
  { weight: 3, arbitrary: accountPath },
  { weight: 1, arbitrary: otherPath },
);
const shot: fc.Arbitrary<Shot> = fc
  .tuple(method, path, accept)
  .map(([verb, target, wanted]) => ({ method: verb, target, headers: wanted === undefined ? {} : { accept: wanted } }));

/** Which of the meant differences a request meets, if any. */
function meantDifference({ target }: Shot): string | undefined {
  const [where = "", query = ""] = target.split("?");
  const [, , , address, kind] = where.split("/").map((part) => decodeURIComponentOnce(decodeURIComponentOnce(part)));
  if (!where.startsWith("/v1/accounts/") || (kind !== undefined && kind !== "module" && kind !== "modules")) return undefined;
  const account = parseAddress(address ?? "");
  const text = new URLSearchParams(query).get("ledger_version");
  const asked = text === null ? (sealed.at(-1) as bigint) : parseU64(text.replace(/^\+?0*(?=[0-9])/, ""));
  if (account === undefined || asked === undefined || asked > (sealed.at(-1) as bigint) || asked < (sealed[0] as bigint)) return undefined;
  if (!scene.accounts.some((known) => parseAddress(known) === account)) return "unread-account";
  return sealed.includes(asked) ? undefined : "held-points";
}

function decodeURIComponentOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Seen = { readonly status: number; readonly body: string; readonly headers: Record<string, unknown> };

const isCompared = (name: string): boolean => name === "content-type" || name.startsWith("x-aptos-") || name.startsWith("x-node-");
function seen(status: number, headers: Readonly<Record<string, unknown>>, body: Uint8Array): Seen {
  const compared = Object.entries(headers).filter(([name]) => isCompared(name));
  return { status, body: Buffer.from(body).toString("latin1"), headers: Object.fromEntries(compared.sort()) };
}

function nodeSays(request: Shot): Seen {
  const view = { ledger: scene.ledger, info: scene.ledger.info(), settings };
  const { status, headers, body } = respond(view, request, 0n);
  return seen(status, headers, body);
}

/** What comes over the wire of it: a HEAD's answer has no body there. */
function overWire({ method }: Shot, said: Seen): Seen {
  return method === "HEAD" ? { ...said, body: "" } : said;
}

async function archiveSays(request: Shot): Promise<Seen> {
  // Letters beyond ASCII cannot go over the wire as they are.
  const { status, headers, body } = await ask(request.target.replace(/[^!-~]/g, encodeURIComponent), request);
  return seen(status, headers, body);
}

describe("serve beside the node that its archive was crawled from", () => {
  test("answers thousands of requests, good and malformed, with the same status, body and ledger headers; else by a meant difference", async () => {
    const met = new Map<string, number>();
    const property = fc.asyncProperty(shot, async (request) => {
      const ours = await archiveSays(request);
      const meant = meantDifference(request);
      const theirs = nodeSays(request);
      if (
        meant === undefined ||
        theirs.status === 400 ||
        theirs.status === 405 ||
        (theirs.status === 404 && theirs.body.includes("web_framework_error"))
      ) {
        met.set("same", (met.get("same") ?? 0) + 1);
        met.set(`${theirs.status}`, (met.get(`${theirs.status}`) ?? 0) + 1);
        // A page of nothing at a version that is not held is refused for the version first.
        if (meant !== undefined && theirs.body.includes("must not be zero")) expect(ours.status).toBe(404);
        else expect(ours).toEqual(overWire(request, theirs));
        return;
      }
      met.set(meant, (met.get(meant) ?? 0) + 1);
      expect(ours.status).toBe(404);
      if (request.method !== "HEAD") expect(ours.body).toContain('"error_code":"version_not_found"');
    });
    await fc.assert(property, { numRuns: sized(750, 6000), seed: 20261121 });
    expect(met.get("same")).toBeGreaterThan(sized(500, 4000));
    for (const kind of ["200", "400", "404", "405", "410", "held-points", "unread-account"])
      expect(met.get(kind), kind).toBeGreaterThan(sized(1, 20));
  });

  const both = async (target: string, headers: Record<string, string> = {}, method = "GET") => {
    const request = { method, target, headers };
    const view = { ledger: scene.ledger, info: scene.ledger.info(), settings };
    return { node: respond(view, request, 0n), ours: await ask(target, request) };
  };
  /** By the first cell of its row in docs/serve.md. */
  const shown: Record<string, () => Promise<void>> = {
    "ledger headers, `GET /v1`": async () => {
      const beyond = { ...scene.ledger.info(), head: 2000n };
      const { headers } = respond({ ledger: scene.ledger, info: beyond, settings }, { method: "GET", target: "/v1", headers: {} }, 0n);
      const { ours } = await both("/v1");
      expect([headers["x-aptos-ledger-version"], ours.headers["x-aptos-ledger-version"]]).toEqual(["2000", "1400"]);
    },
    "a version between the oldest and the newest": async () => {
      const { node, ours } = await both("/v1/accounts/0x1?ledger_version=700");
      expect([node.status, ours.status]).toEqual([200, 404]);
    },
    "a version whose snapshot did not read the account, or has a gap at it": async () => {
      const { node, ours } = await both(`/v1/accounts/${scene.stranger}/modules`);
      expect([node.status, ours.status]).toEqual([200, 404]);
    },
    // In gaps.test.ts and responder.test.ts, where there is an archive to show them with.
    "an account in BCS": async () => undefined,
    "a page of modules": async () => undefined,
    "POST, PUT and others": async () => {
      const { node, ours } = await both("/v1", {}, "POST");
      expect([node.status, ours.status]).toEqual([411, 405]);
    },
    "requests with an `Origin`": async () => {
      const { node, ours } = await both("/v1/nowhere", { origin: "https://example.org" });
      expect([Buffer.from(node.body).toString(), JSON.parse(textOf(ours))]).toEqual([
        "not found",
        expect.objectContaining({ message: "not found" }),
      ]);
      expect(ours.headers["access-control-allow-origin"]).toBe("https://example.org");
      expect(ours.headers["access-control-expose-headers"]).toContain("x-aptos-cursor");
    },
    "`Accept-Encoding`": async () => {
      const { ours } = await both("/v1/accounts/0x1/modules", { "accept-encoding": "zstd" });
      expect(ours.headers).toMatchObject({ "content-encoding": "zstd", vary: "Origin, Accept, Accept-Encoding" });
    },
    "`ETag`, `Cache-Control`, `If-None-Match`": async () => {
      const { node, ours } = await both("/v1/accounts/0x1?ledger_version=900");
      expect([node.headers["etag"], typeof ours.headers["etag"]]).toEqual([undefined, "string"]);
    },
    "`/v1/info`, `/v1/spec*`, `git_hash`": async () => {
      const { node, ours } = await both("/v1/info");
      expect(Buffer.from(node.body).toString()).not.toBe(textOf(ours));
    },
    "`/v1/snapshots`, `/metrics`": async () => {
      const { node, ours } = await both("/v1/snapshots");
      expect([node.status, ours.status]).toEqual([404, 200]);
    },
    "bytecode that movedex cannot decode": async () => {
      const { ours } = await both("/v1/accounts/0x1/module/opaque");
      expect(JSON.parse(textOf(ours))).toMatchObject({ abi: null });
    },
  };

  test("every difference that is listed is there, and each has its example", async () => {
    const page = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");
    const [, table = ""] = /^\| where \| a node .*\n\|.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
    expect(table.match(/^\| [^|]+(?= \|)/gm)?.map((cell) => cell.slice(2))).toEqual(Object.keys(shown));
    for (const show of Object.values(shown)) await show();
  });
});
