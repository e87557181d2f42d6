import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { drip, type Fault, planFaults, resetBeforeHeaders, silence } from "../../../sim/faults/index.ts";
import { type SimNode, type SimNodeOptions, startSimNode } from "../../../sim/index.ts";
import { parseBaseUrl } from "../../../src/core/node/http/base-url.ts";
import { nodeLimits } from "../../../src/core/node/http/body.ts";
import { openTransport, type Transport } from "../../../src/core/node/http/transport.ts";
import { listening } from "../../support/index.ts";
import { smallLedger } from "../small-ledger.ts";

async function withTransport(
  options: { sim?: Partial<SimNodeOptions>; attemptTimeoutMs?: number },
  use: (transport: Transport, sim: SimNode) => Promise<void>,
): Promise<void> {
  await using sim = await startSimNode({ ledger: smallLedger(), ...options.sim });
  const transport = openTransport(parseBaseUrl(sim.url), 2, { ...nodeLimits, attemptTimeoutMs: options.attemptTimeoutMs ?? 5000 });
  try {
    await use(transport, sim);
  } finally {
    await transport.close();
  }
}

/** The right answer after others with a status below 200. */
function early(status: string, times: number): Fault {
  return {
    name: status,
    deliver: ({ response, send }) => {
      response.socket?.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(times));
      send();
    },
  };
}

describe("openTransport", () => {
  test.each([
    ["100 Continue", 1],
    ["100 Continue", 3],
    ["103 Early Hints", 16],
  ])("%s before the answer is passed over, %i times", async (status, times) => {
    await withTransport({ sim: { faults: planFaults([{ fault: early(status, times), at: [1, 2] }]) } }, async (transport) => {
      for (let count = 0; count < 2; count++) expect((await transport.get("/v1", {}, undefined)).status).toBe(200);
    });
  });

  test("status 203, of a proxy that changed headers, is an answer", async () => {
    const fault: Fault = { name: "203", answer: (honest) => ({ ...honest(), status: 203 }) };
    await withTransport({ sim: { faults: planFaults([{ fault, at: 1 }]) } }, async (transport) => {
      expect((await transport.get("/v1", {}, undefined)).status).toBe(200);
    });
  });

  test("a length twice, which undici does not read, is told as that, and TLS is not thought of", async () => {
    await using server = await listening(
      createServer(({ socket }) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}")),
    );
    const transport = openTransport(parseBaseUrl(`${server.origin}/v1`), 1, nodeLimits);
    const message = "its headers are not valid HTTP/1.1 (is content-length there twice?)";
    await expect(transport.get("/v1", {}, undefined)).rejects.toMatchObject({ kind: "bad_answer", message });
    await transport.close();
  });

  test("an attempt has an end, even while bytes keep coming", async () => {
    const faults = planFaults([{ fault: drip({ pieces: 100, pauseMs: 40 }), at: 1 }]);
    await withTransport({ sim: { faults }, attemptTimeoutMs: 800 }, async (transport) => {
      await expect(transport.get("/v1", {}, undefined)).rejects.toMatchObject({ kind: "timeout" });
      expect((await transport.get("/v1", {}, undefined)).status).toBe(200);
    });
  });

  test("an abort ends it, before and during the request", async () => {
    const faults = planFaults([{ fault: silence(), at: 1 }]);
    await withTransport({ sim: { faults } }, async (transport, sim) => {
      await expect(transport.get("/v1", {}, AbortSignal.abort())).rejects.toThrow();
      expect(sim.requestCount).toBe(0);
      const abort = new AbortController();
      const request = transport.get("/v1", {}, abort.signal);
      const ending = expect(request).rejects.toMatchObject({ kind: "unreachable" });
      await expect.poll(() => sim.requestCount).toBe(1);
      abort.abort();
      await ending;
    });
  });

  test("leaves nothing on a signal that outlives it, whether it is answered or fails", async () => {
    const faults = planFaults([{ fault: resetBeforeHeaders(), at: 2 }]);
    await withTransport({ sim: { faults } }, async (transport) => {
      const { signal } = new AbortController();
      await transport.get("/v1", {}, signal);
      await expect(transport.get("/v1", {}, signal)).rejects.toThrow();
      expect(getEventListeners(signal, "abort")).toEqual([]);
    });
  });

  test("after closing nothing is sent", async () => {
    await withTransport({}, async (transport, sim) => {
      await transport.close();
      await expect(transport.get("/v1", {}, undefined)).rejects.toMatchObject({ kind: "closed" });
      expect(sim.requestCount).toBe(0);
    });
  });
});
