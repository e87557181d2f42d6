import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import { type Fault, faults, startSimNode } from "../../../../sim/index.ts";
import { openForwarder } from "../../../../src/capabilities/serve/upstream/forwarder.ts";
import { ManualClock, rawRequest, test } from "../../../support/index.ts";
import { frontScene, jsonOfRaw, sourceOf } from "../support/front.ts";
import { askDatabase, crawl, serveDatabase } from "../support/served-archive.ts";

const { db, scene, inFront } = await frontScene();
const json = jsonOfRaw;
const ofAccounts = { match: ({ target }: { readonly target: string }) => target.includes("/accounts/") };

/** The length says half of the body, and half is what comes. */
const shortLength: Fault = {
  name: "short length",
  deliver: ({ response, status, headers, body }) => {
    const half = body.subarray(0, body.length >>> 1);
    response.writeHead(status, { ...headers, "content-length": String(half.length) });
    response.end(half);
  },
};

describe("in front of a node in trouble", () => {
  const [silent, wrong] = [
    [502, 503],
    [404, 500, 502, 503],
  ];
  /** What the node does, and with which status one hears of it where the archive has no answer either. */
  const troubles: readonly (readonly [what: string, fault: Fault, lacking: readonly number[]])[] = [
    ["too many requests", faults.tooManyRequests("7"), [429]],
    ["a gateway's page", faults.gatewayPage(502), silent],
    ["overload", faults.unavailable("overloaded"), [503]],
    ["pruned state under a 500", faults.prunedState(900n, 1000n), [410, 500, 502, 503]],
    ["a reset", faults.resetBeforeHeaders(), silent],
    ["silence", faults.silence(), silent],
    ["401 for the operator's key", faults.unauthorized(), wrong],
    ["403 for a format that is switched off", faults.formatDisabled("json"), wrong],
    ["200 with an error in its body", faults.errorInSuccess(), wrong],
    ["200 with a gateway's page", faults.gatewayPage(200), wrong],
    ["a redirect", faults.redirect("http://127.0.0.1:1/steal"), wrong],
    // Everything goes well until the body: none of these ends it.
    ["a stall", faults.stall(), silent],
    ["a drip", faults.drip({ pieces: 1000, pauseMs: 20 }), silent],
    ["a body cut off before its length", faults.cutBody(), silent],
    ["chunks cut off", faults.cutChunks(), silent],
    ["a text cut off", faults.cutText(), silent],
    ["a length that is too small", shortLength, silent],
    ["a late reset", faults.stall(5), silent],
    ["a reset after half", faults.resetAfterHeaders(), silent],
  ];
  test.each(troubles)("%s costs no answer that the archive can give", async (_, fault, statuses) => {
    // Only where nothing else would come is it waited for no longer: on a busy machine all answers are late.
    const settings = statuses === silent ? { limits: { startMs: 60, upstreamMs: 60 } } : {};
    await using front = await inFront({ plan: faults.planFaults([{ fault, match: ({ method }) => method === "GET" }]), settings });
    await using alone = await askDatabase(db);
    for (const path of ["/accounts/0x1/modules", "/accounts/0x1/module/coin", "/accounts/0x1"]) {
      for (const version of ["", "?ledger_version=1400", "?ledger_version=900"]) {
        const answer = await front.get(path + version);
        expect(sourceOf(answer), path + version).toEqual([200, "archive", version.endsWith("900") ? "900" : "1400"]);
        expect(answer.body.equals((await alone.ask(`/v1${path}${version}`)).body), path + version).toBe(true);
      }
    }
    const lacking = await front.get("/accounts/0x1/modules?ledger_version=1399");
    expect(statuses).toContain(lacking.status);
    const code = statuses === silent ? "internal_error" : expect.any(String);
    expect(json(lacking)).toMatchObject({ error_code: code, message: expect.stringContaining("900 and 1400") });
    if (lacking.status === 429) expect(lacking.headers["retry-after"]).toBe("7");
  });

  test.each(["identity", "gzip"])("of a large body only so much is read, packed (%s) or not", async (packing) => {
    const body = Buffer.from(" ".repeat(200_000));
    const headers = { "content-type": "application/json", ...(packing === "gzip" && { "content-encoding": packing }) };
    const answer = () => ({ status: 200, headers, body: packing === "gzip" ? gzipSync(body) : body, compressible: false });
    const plan = faults.planFaults([{ fault: { name: "a large account", answer }, ...ofAccounts }]);
    await using front = await inFront({ plan, answerBytes: 100_000 });
    const said = await front.get("/accounts/0x1?ledger_version=1399");
    expect([said.status, json(said)["message"]]).toEqual([503, expect.stringContaining("answer is too large")]);
  });

  test("a node that does not answer is left alone for a while", async () => {
    const clock = new ManualClock();
    const lines: string[] = [];
    const plan = faults.planFaults([{ fault: faults.resetBeforeHeaders(), ...ofAccounts, times: 2 }]);
    await using front = await inFront({ plan, settings: { clock, log: (_, message) => void lines.push(message) } });
    const asked = front.node.requestCount;
    // One request may fail for a reason of its own; two different ones say something of the node.
    for (const name of ["coin", "bank", "a", "b"]) {
      expect(sourceOf(await front.get(`/accounts/0x1/module/${name}`))[1]).toBe("archive");
    }
    expect(front.node.requestCount).toBe(asked + 2);
    await clock.advance(6000);
    expect(sourceOf(await front.get("/accounts/0x1"))[1]).toBe("upstream");
    expect(lines).toEqual([expect.stringContaining("does not answer: read ECONNRESET"), expect.stringContaining("answers again")]);
  });

  test("held versions are answered while the node hangs, other requests fail soon, and the node is not flooded", async () => {
    const plan = faults.planFaults([{ fault: faults.silence() }]);
    const limits = { startMs: 30, upstreamMs: 60, upstreamRequests: 4, upstreamWaiting: 4 };
    await using front = await inFront({ plan, settings: { limits } });
    const paths = Array.from({ length: 60 }, (_, index) => `/accounts/0x1/module/${"ab"[index % 2]}?n=${index}`);
    for (const which of ["", "&ledger_version=1400"]) {
      const held = await Promise.all(paths.map((path) => front.get(path + which)));
      expect(held.map((answer) => sourceOf(answer))).toEqual(paths.map(() => [200, "archive", "1400"]));
    }
    const lacking = await Promise.all([1, 2, 3, 4].map((n) => front.get(`/accounts/0x1?ledger_version=${1400 - n}`)));
    expect(lacking.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(lacking[0]?.headers["retry-after"]).toBe("5");
    // The check at the start, four at once, and the four that waited.
    expect(front.node.requestCount).toBeLessThanOrEqual(9);
  });

  test("status, metrics and the description answer while every other place is taken by requests that wait for the node", async () => {
    const plan = faults.planFaults([{ fault: faults.silence() }]);
    await using front = await inFront({ plan, settings: { limits: { startMs: 50, upstreamMs: 60_000, requestsAtOnce: 3 } } });
    const gone = new AbortController();
    const waiting = [1, 2, 3].map((n) =>
      rawRequest(`${front.served.url}/accounts/0x1?ledger_version=${1400 - n}`, { signal: gone.signal }).catch(() => undefined),
    );
    await until(() => front.served.gauges()["requests_under_way"] === 3);
    expect((await front.get("/accounts/0x1?ledger_version=1400")).status).toBe(503);
    for (const path of ["/snapshots", "/snapshots/900", "/spec", "/spec.json"]) expect((await front.get(path)).status, path).toBe(200);
    expect((await rawRequest(`${front.served.origin}/metrics`)).status).toBe(200);
    gone.abort();
    await Promise.all(waiting);
  });

  test("one probe goes out after each rest, and the first answer ends it", async () => {
    const clock = new ManualClock();
    const plan = faults.planFaults([{ fault: faults.silence(), ...ofAccounts, times: 3 }]);
    await using front = await inFront({ plan, silenceMs: 1_000, settings: { clock } });
    const before = front.node.requestCount;
    const asked = () => front.node.requestCount - before;
    const ask = (name: string) => front.get(`/accounts/0x1/module/${name}`);
    const askInVain = async (name: string) => expect(sourceOf(await ask(name))).toEqual([200, "archive", "1400"]);
    await askInVain("a");
    await askInVain("b");
    await clock.advance(6000);
    const probe = askInVain("a");
    await until(() => asked() === 3);
    for (const name of ["b", "coin", "bank"]) await askInVain(name);
    await probe;
    await clock.advance(6000);
    expect(sourceOf(await ask("a"))[1]).toBe("archive");
    expect(asked()).toBe(3);
    await clock.advance(48_000);
    expect(sourceOf(await ask("a"))[1]).toBe("upstream");
    expect(sourceOf(await ask("b"))[1]).toBe("upstream");
  });

  test("the 404 of a node that lags is no answer about a version that it has not", async () => {
    await using front = await inFront({
      plan: faults.planFaults([{ fault: faults.nodeBehind(1900n), match: ({ method }) => method === "GET" }]),
    });
    expect(sourceOf(await front.get("/accounts/0x1/modules?ledger_version=1400"))).toEqual([200, "archive", "1400"]);
    const lacking = await front.get("/accounts/0x1/modules?ledger_version=1399");
    expect(lacking.status).toBe(404);
    expect(json(lacking)).toMatchObject({ error_code: "version_not_found", message: expect.stringContaining("900 and 1400") });
  });

  test("a path that the node redirects, over and over, rests it for nobody", async () => {
    const fault = faults.redirect("http://127.0.0.1:1/steal");
    await using front = await inFront({ plan: faults.planFaults([{ fault, match: ({ target }) => target.includes("0xb0b") }]) });
    for (const n of [1, 2, 3]) expect((await front.get(`/accounts/0xb0b/module/m${n}?ledger_version=1399`)).status).toBe(503);
    expect(sourceOf(await front.get("/accounts/0x1"))[1]).toBe("upstream");
  });
});

test("what an error says names neither the node's address with the key in its path nor what other clients asked", async () => {
  const lines: string[] = [];
  const forwarder = openForwarder({ url: "http://127.0.0.1:9/PATHKEY-1/v1", connections: 1, silenceMs: 500 });
  await using served = await serveDatabase(db, {
    upstream: forwarder,
    log: (_, message, facts) => void lines.push(message + JSON.stringify(facts)),
  });
  const ask = async (path: string): Promise<string> =>
    JSON.stringify(await rawRequest(served.url + path).then(({ body, headers }) => [body.toString(), headers]));
  await ask("/accounts/0xa11ce?ledger_version=901");
  const seen = await ask("/accounts/0xb0b?ledger_version=902");
  expect(seen).toContain("the node does not answer");
  for (const secret of ["PATHKEY", "127.0.0.1:9", "a11ce", "901"]) expect(seen).not.toContain(secret);
  expect(lines.join()).toContain("ECONNREFUSED");
  expect(lines.join()).not.toContain("PATHKEY");
  await forwarder.close();
});

test("an archive that was read as JSON asks the node for BCS that it does not hold", async ({ place }) => {
  const second = place.file("json.db");
  await using source = await startSimNode({ ledger: scene.ledger });
  const [, account = ""] = scene.accounts;
  await crawl(second, source.url, [account], { version: 1400n, more: ["--encoding", "json"] });
  const forwarder = openForwarder({ url: source.url, connections: 1, silenceMs: 60_000 });
  await using served = await serveDatabase(second, { upstream: forwarder });
  const bcs = { accept: "application/x-bcs" };
  expect(sourceOf(await rawRequest(`${served.url}/accounts/${account}?ledger_version=1400`, { headers: bcs }))).toEqual([
    200,
    "upstream",
    undefined,
  ]);
  expect(sourceOf(await rawRequest(`${served.url}/accounts/${account}?ledger_version=1400`))).toEqual([200, "archive", "1400"]);
  await source.close();
  expect((await rawRequest(`${served.url}/accounts/${account}?ledger_version=1400`, { headers: bcs })).status).toBe(403);
  await forwarder.close();
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}
