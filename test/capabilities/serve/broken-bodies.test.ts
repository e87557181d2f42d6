import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Fault, faults } from "../../../sim/index.ts";
import { frontScene, jsonOfRaw, sourceOf } from "./support/front.ts";
import { askDatabase } from "./support/served-archive.ts";

const { db, inFront } = await frontScene();

/** The length says half of the body, and half is what comes. */
const shortLength: Fault = {
  name: "short length",
  deliver: ({ response, status, headers, body }) => {
    const half = body.subarray(0, body.length >>> 1);
    response.writeHead(status, { ...headers, "content-length": String(half.length) });
    response.end(half);
  },
};

/** Everything goes well until the body: none of these ends it. */
const broken: Readonly<Record<string, Fault>> = {
  "a stall": faults.stall(),
  "a drip": faults.drip({ pieces: 1000, pauseMs: 20 }),
  "a body cut off before its length": faults.cutBody(),
  "chunks cut off": faults.cutChunks(),
  "a text cut off": faults.cutText(),
  "a length that is too small": shortLength,
  "a late reset": faults.stall(5),
  "a reset after half": faults.resetAfterHeaders(),
};
const onData = { match: ({ method, target }: { method: string; target: string }) => method === "GET" && target.includes("/accounts/") };
const limits = { upstreamMs: 60 };

describe("in front of a node that breaks off in its bodies", () => {
  test.each(Object.entries(broken))("%s costs no answer that the archive can give", async (_, fault) => {
    await using front = await inFront({ plan: faults.planFaults([{ fault, ...onData }]), settings: { limits } });
    await using alone = await askDatabase(db);
    for (const path of ["/accounts/0x1/modules", "/accounts/0x1/module/coin", "/accounts/0x1"]) {
      for (const version of ["", "?ledger_version=1400", "?ledger_version=900"]) {
        const answer = await front.get(path + version);
        expect(sourceOf(answer), path + version).toEqual([200, "archive", version.endsWith("900") ? "900" : "1400"]);
        expect(answer.body.equals(Buffer.from((await alone.ask(`/v1${path}${version}`)).body)), path + version).toBe(true);
      }
    }
    const lacking = await front.get("/accounts/0x1/modules?ledger_version=1399");
    expect([502, 503]).toContain(lacking.status);
    expect(jsonOfRaw(lacking)["error_code"]).toBe("internal_error");
  });

  test("of a large body only so much is read, packed or not", async () => {
    for (const packing of ["identity", "gzip"]) {
      const large: Fault = {
        name: "a large account",
        answer: () => ({
          status: 200,
          headers: { "content-type": "application/json", ...(packing === "gzip" ? { "content-encoding": packing } : {}) },
          body: (packing === "gzip" ? gzipSync : Buffer.from)(" ".repeat(200_000)),
          compressible: false,
        }),
      };
      const plan = faults.planFaults([{ fault: large, ...onData }]);
      await using front = await inFront({ plan, answerBytes: 100_000 });
      const answer = await front.get("/accounts/0x1?ledger_version=1399");
      expect([answer.status, jsonOfRaw(answer)["message"]], packing).toEqual([503, expect.stringContaining("answer is too large")]);
    }
  });
});
