import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { faults, SimLedger, type SimNode, startSimNode } from "../../sim/index.ts";
import { type RawResponse, rawRequest } from "../support/raw-request.ts";

const { planFaults } = faults;
const bcs = { accept: "application/x-bcs" };
const listing = "/accounts/0x1/modules?ledger_version=100";

function ledgerOfThree(): SimLedger {
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => {
    for (const name of ["acl", "coin", "account"]) writer.publish("0x1", name, Buffer.from(name));
  });
  ledger.advance(100n);
  return ledger;
}

/** A node on which every request meets the fault. */
function nodeWith(fault: faults.Fault, ledger = ledgerOfThree()): Promise<SimNode> {
  return startSimNode({ ledger, faults: planFaults([{ fault }]) });
}

async function ask(fault: faults.Fault, path = listing, headers: Record<string, string> = {}): Promise<RawResponse> {
  await using node = await nodeWith(fault);
  return await rawRequest(`${node.url}${path}`, { headers });
}

const error = ({ body }: RawResponse): { error_code: string; message: string } => JSON.parse(body.toString());

describe("refusals", () => {
  test.each([undefined, "3", "0", "-1", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "999999999999"])(
    "429 names the wait as %j, in plain text",
    async (wait) => {
      const answer = await ask(faults.tooManyRequests(wait));
      expect(answer).toMatchObject({ status: 429, headers: { "content-type": "text/plain; charset=utf-8" } });
      expect(answer.headers["retry-after"]).toBe(wait);
      expect(answer.headers["x-aptos-chain-id"]).toBeUndefined();
    },
  );

  test.each(["overloaded", "node_not_bootstrapped", "internal_error"] as const)("503 %s has no ledger headers", async (reason) => {
    const answer = await ask(faults.unavailable(reason));
    expect(answer.status).toBe(503);
    expect(error(answer).error_code).toBe(reason);
    expect(answer.headers["x-aptos-chain-id"]).toBeUndefined();
  });

  test.each(Object.entries(faults.storageFailures))("500 %s carries its message", async (kind, message) => {
    const answer = await ask(faults.storageFailure(kind as keyof typeof faults.storageFailures));
    expect(answer.status).toBe(500);
    expect(error(answer)).toMatchObject({ error_code: "internal_error", message });
    expect(answer.headers["x-aptos-chain-id"]).toBe(kind === "joinError" ? undefined : "7");
  });

  test("500 for pruned state names the versions", async () => {
    expect(error(await ask(faults.prunedState(5n, 9n))).message).toMatch(
      /StateValue at version 5 is pruned, min available version is 9\.$/,
    );
  });

  test.each([200, 502, 503, 504])("a gateway's page comes with %i", async (status) => {
    const answer = await ask(faults.gatewayPage(status));
    expect(answer).toMatchObject({ status, headers: { "content-type": "text/html" } });
    expect(answer.body.toString()).toMatch(/^<html>/);
  });

  test("an error in a success, a 401 and a redirect are what they say", async () => {
    const hidden = await ask(faults.errorInSuccess());
    expect([hidden.status, error(hidden).error_code]).toEqual([200, "internal_error"]);
    expect((await ask(faults.unauthorized())).status).toBe(401);
    expect(await ask(faults.redirect("http://127.0.0.1:9/v1", 307))).toMatchObject({
      status: 307,
      headers: { location: "http://127.0.0.1:9/v1" },
    });
  });

  test("an unknown error code and a hint to an archive come as they are", async () => {
    const answer = await ask(faults.unknownError(409, "brand_new"));
    expect([answer.status, error(answer).error_code, answer.headers["x-aptos-chain-id"]]).toEqual([409, "brand_new", "7"]);
    const ledger = ledgerOfThree();
    ledger.pruneTo(90n);
    await using node = await nodeWith(faults.archiveHint("http://127.0.0.1:9/v1"), ledger);
    const pruned = await rawRequest(`${node.url}/accounts/0x1?ledger_version=1`);
    expect([pruned.status, pruned.headers["x-aptos-archival-endpoint"]]).toEqual([410, "http://127.0.0.1:9/v1"]);
    expect(error(pruned)).toMatchObject({
      error_code: "version_pruned",
      oldest_ledger_version: "90",
      archival_endpoint: "http://127.0.0.1:9/v1",
    });
    expect((await rawRequest(`${node.url}/accounts/0x1`)).headers["x-aptos-archival-endpoint"]).toBeUndefined();
  });

  test("a format that is off is refused to who asks for it only", async () => {
    expect((await ask(faults.formatDisabled("bcs"), listing, bcs)).status).toBe(403);
    expect((await ask(faults.formatDisabled("bcs"))).status).toBe(200);
    expect((await ask(faults.formatDisabled("json"))).status).toBe(403);
    const answer = await ask(faults.bcsNotSupported(), listing, bcs);
    expect([answer.status, error(answer).error_code]).toEqual([400, "bcs_not_supported"]);
  });
});

describe("transport", () => {
  test.each([
    faults.cutBody(),
    faults.cutChunks(),
    faults.resetBeforeHeaders(),
    faults.resetAfterHeaders(),
    faults.silence(10),
    faults.stall(10),
  ])("$name breaks the answer off", async (fault) => {
    await expect(ask(fault)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  test.each([faults.silence(), faults.stall()])(
    "$name lasts until the client has had enough, and does not keep the node from closing",
    async (fault) => {
      await using node = await nodeWith(fault);
      await expect(rawRequest(node.url, { signal: AbortSignal.timeout(30) })).rejects.toThrow();
    },
  );

  test.each([faults.late(5), faults.drip({ pieces: 4, pauseMs: 1 })])("$name gives the right answer, slowly", async (fault) => {
    await using quiet = await startSimNode({ ledger: ledgerOfThree() });
    expect((await ask(fault)).body).toEqual((await rawRequest(quiet.url + listing)).body);
  });

  test("an endless body is as long as asked for", async () => {
    const answer = await ask(faults.endlessBody(1_000_000));
    expect(answer.body.length).toBeGreaterThan(1_000_000);
    expect(answer.headers["content-length"]).toBeUndefined();
  });
});

describe("corruption", () => {
  test("of the chain reaches headers and index", async () => {
    const answer = await ask(faults.wrongChain(9), "");
    expect(answer.headers["x-aptos-chain-id"]).toBe("9");
    expect(JSON.parse(answer.body.toString())).toMatchObject({ chain_id: 9 });
  });

  test("of the ledger headers leaves the cursor", async () => {
    const answer = await ask(faults.withoutLedgerHeaders(), `${listing}&limit=1`);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("x-"))).toEqual(["x-aptos-cursor"]);
    expect((await ask(faults.malformedHeader("ledger-version", "12a"))).headers).toMatchObject({
      "x-aptos-ledger-version": "12a",
      "x-aptos-ledger-oldest-version": "0",
    });
  });

  test("of the body keeps lengths true", async () => {
    const cut = await ask(faults.cutText());
    expect(cut.headers["content-length"]).toBe(String(cut.body.length));
    expect(() => JSON.parse(cut.body.toString())).toThrow(SyntaxError);
    expect((await ask(faults.trailingBytes(), listing, bcs)).body.subarray(-4).toString("hex")).toBe("74000102");
    expect((await ask(faults.lyingLength(), listing, bcs)).body.toString("hex")).toMatch(/^ffffffff0f/);
    const nulls = JSON.parse((await ask(faults.nullAbi())).body.toString()) as { bytecode: string; abi: null }[];
    expect(nulls.map(({ abi }) => abi)).toEqual([null, null, null]);
  });

  test("of the listing repeats a cursor, goes round, or repeats a page", async () => {
    const cursors = async (fault: faults.Fault): Promise<{ seen: string[]; bodies: string[] }> => {
      await using node = await nodeWith(fault);
      const seen: string[] = [];
      const bodies: string[] = [];
      for (let page = 0; page < 4; page++) {
        const answer = await rawRequest(`${node.url}${listing}&limit=1${page === 0 ? "" : `&start=${seen.at(-1)}`}`, { headers: bcs });
        bodies.push(answer.body.toString("latin1").slice(2));
        const cursor = answer.headers["x-aptos-cursor"];
        if (cursor === undefined) break;
        seen.push(String(cursor));
      }
      return { seen, bodies };
    };
    const right = (await cursors(faults.late(0))).seen;
    expect(right).toHaveLength(2);
    expect((await cursors(faults.stuckCursor())).seen).toEqual([right[0], right[0], right[0], right[0]]);
    expect((await cursors(faults.circularCursor())).seen).toEqual([right[0], right[1], right[0], right[1]]);
    const repeated = await cursors(faults.repeatedPage());
    expect(repeated).toEqual({ seen: right, bodies: ["0x1::acl\x03acl", "0x1::acl\x03acl", "0x1::acl\x03acl"] });
  });

  test("of the page repeats its first module", async () => {
    const map = await ask(faults.repeatedModule(), `${listing}&limit=2`, bcs);
    expect(map.body.toString("latin1")).toBe("\x03\x080x1::acl\x03acl\x090x1::coin\x04coin\x080x1::acl\x03acl");
    const list = JSON.parse((await ask(faults.repeatedModule())).body.toString()) as { bytecode: string }[];
    expect(list.map(({ bytecode }) => Buffer.from(bytecode.slice(2), "hex").toString())).toEqual(["acl", "coin", "account", "acl"]);
  });

  test("an empty page with a cursor loses nothing", async () => {
    await using node = await nodeWith(faults.emptyPage());
    const first = await rawRequest(node.url + listing);
    expect(first.body.toString()).toBe("[]");
    const next = await rawRequest(`${node.url}${listing}&start=${first.headers["x-aptos-cursor"]}`);
    expect(JSON.parse(next.body.toString())).toHaveLength(3);
  });

  test("a bomb is small on the wire and large unpacked", async () => {
    const answer = await ask(faults.compressionBomb(3));
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(answer.body.length).toBeLessThan(10_000);
    expect(gunzipSync(answer.body)).toHaveLength(3 * 1024 * 1024);
  });
});

describe("scenes", () => {
  test("the horizon can overtake a pin in the middle of a listing", async () => {
    const ledger = ledgerOfThree();
    const prune = faults.meanwhile("prune", () => {
      ledger.advance(1000n);
      ledger.pruneTo(500n);
    });
    await using node = await startSimNode({ ledger, faults: planFaults([{ fault: prune, at: 2 }]) });
    const first = await rawRequest(`${node.url}${listing}&limit=1`);
    const second = await rawRequest(`${node.url}${listing}&limit=1&start=${first.headers["x-aptos-cursor"]}`);
    expect([first.status, second.status]).toEqual([200, 410]);
    expect(second.headers["x-aptos-ledger-oldest-version"]).toBe("500");
  });

  test("a node behind does not have the version yet", async () => {
    const answer = await ask(faults.nodeBehind(10n));
    expect([answer.status, error(answer).error_code]).toEqual([404, "version_not_found"]);
    expect(answer.headers["x-aptos-ledger-version"]).toBe("90");
  });
});

describe("planFaults", () => {
  const picks = (planned: Omit<faults.PlannedFault, "fault">, requests: string[]): boolean[] => {
    const plan = planFaults([{ fault: faults.unauthorized(), ...planned }]);
    return requests.map((target, index) => plan.pick({ method: "GET", target, headers: {} }, index + 1).length > 0);
  };
  const six = ["/a", "/b", "/a", "/b", "/a", "/b"];

  test("counts matching requests only", () => {
    expect(picks({ at: 2, match: ({ target }) => target === "/b" }, six)).toEqual([false, false, false, true, false, false]);
    expect(picks({ at: [1, 3] }, six)).toEqual([true, false, true, false, false, false]);
    expect(picks({ every: 2 }, six)).toEqual([false, true, false, true, false, true]);
    expect(picks({ every: 2, times: 1 }, six)).toEqual([false, true, false, false, false, false]);
  });

  test("draws the same requests from the same seed, about as many as the share says", () => {
    const many = Array.from({ length: 10_000 }, () => "/a");
    expect(picks({ share: 0.2, seed: 5 }, many)).toEqual(picks({ share: 0.2, seed: 5 }, many));
    expect(picks({ share: 0.2, seed: 6 }, many)).not.toEqual(picks({ share: 0.2, seed: 5 }, many));
    const met = picks({ share: 0.2 }, many).filter(Boolean).length;
    expect(met).toBeGreaterThan(1800);
    expect(met).toBeLessThan(2200);
  });

  test("lists what was planned and never met", async () => {
    const plan = planFaults([
      { fault: faults.unauthorized(), at: [1, 5] },
      { fault: faults.unavailable("overloaded"), match: () => false },
    ]);
    await using node = await startSimNode({ ledger: ledgerOfThree(), faults: plan });
    expect((await rawRequest(node.url)).status).toBe(401);
    expect(node.requests[0]?.faults).toEqual(["401"]);
    expect(plan.unmet()).toEqual(["401 (at 5)", "503 overloaded"]);
  });
});

describe("mixedFaults", () => {
  test("meets about the share that was asked for, each kind, never one request too often in a row", () => {
    const plan = faults.mixedFaults({ seed: 3, share: 0.5, maxInARow: 2 });
    let met = 0;
    let inARow = 0;
    for (let index = 0; index < 5000; index++) {
      const isFaulty = plan.pick({ method: "GET", target: "/v1/accounts/0x1?ledger_version=3", headers: {} }, index).length > 0;
      inARow = isFaulty ? inARow + 1 : 0;
      if (isFaulty) met++;
      expect(inARow).toBeLessThanOrEqual(2);
    }
    expect(met / 5000).toBeGreaterThan(0.35);
    expect(plan.unmet()).toEqual([]);
  });

  test("lets a client that asks again have every answer as on a quiet node", async () => {
    const ledger = ledgerOfThree();
    const plan = faults.mixedFaults({ seed: 11, share: 0.5, holdMs: 3 });
    await using quiet = await startSimNode({ ledger });
    await using node = await startSimNode({ ledger, faults: plan });
    const expected = (await rawRequest(quiet.url + listing)).body.toString();
    for (let round = 0; round < 100; round++) {
      const answers: string[] = [];
      while (answers.at(-1) !== expected && answers.length < 5) {
        const answer = await rawRequest(node.url + listing).catch(() => undefined);
        answers.push(answer?.status === 200 ? answer.body.toString() : "");
      }
      expect(answers.at(-1)).toBe(expected);
    }
    expect(node.requestCount).toBeGreaterThan(130);
  });

  test("never shows the index of another height: a pin stays what it is", () => {
    const plan = faults.mixedFaults({ seed: 1, share: 1, maxInARow: Number.POSITIVE_INFINITY });
    const picked = Array.from({ length: 2000 }, (_, index) => plan.pick({ method: "GET", target: "/v1", headers: {} }, index)).flat();
    expect(picked.some(({ view }) => view)).toBe(false);
  });
});
