import { readFileSync } from "node:fs";
import { createServer as createPlainServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { closing } from "../../../src/base/async.ts";
import { openNode } from "../../../src/node/open-node.ts";
import { listen } from "../../support/loopback.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

/** Asks a server that never gets as far as HTTP. */
async function failureOf(server: Server): Promise<unknown> {
  const url = `https://127.0.0.1:${await listen(server)}/v1`;
  await using node = closing(openNode({ url, clock: new ManualClock({ skipSleeps: true }) }));
  const failure = await node.index().catch((error: unknown) => error);
  server.close();
  return failure;
}

describe("TLS", () => {
  test("a certificate that nobody vouches for ends it at once, and says what to do", async () => {
    let connections = 0;
    const server = createTlsServer({ key: fixture("self-signed.key"), cert: fixture("self-signed.crt") });
    server.on("connection", () => {
      connections += 1;
    });
    const error = await failureOf(server);
    expect(error).toMatchObject({ kind: "untrusted", ends: "run" });
    expect(String(error)).toContain("self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT). For an authority of your own");
    expect(connections).toBe(1);
  });

  test("a server that speaks plain HTTP is asked once, and the address is what to mend", async () => {
    const server = createPlainServer((socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
    });
    const error = await failureOf(server);
    expect(error).toMatchObject({ kind: "untrusted", ends: "run" });
    expect(String(error)).toContain("what listens there speaks no TLS. For plain HTTP write http:// in the address");
  });
});
