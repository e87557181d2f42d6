import { readFileSync } from "node:fs";
import { createServer as createPlainServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { closing } from "../../../src/core/base/async.ts";
import { openNode } from "../../../src/core/node/open-node.ts";
import { listen, ManualClock } from "../../support/index.ts";

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

/** Asks a server that never gets as far as HTTP. */
async function failureOf(server: Server, scheme = "https"): Promise<unknown> {
  const url = `${scheme}://127.0.0.1:${await listen(server)}/v1`;
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

  const page = (text: string) => `HTTP/1.1 400 Bad Request\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`;
  const [tls, http2] = ["it speaks TLS. Write https:// in the address", "it speaks HTTP/2 only"];
  test.each([
    ["https", page(""), "untrusted", "what listens there speaks no TLS. For plain HTTP write http:// in the address"],
    ["http", "\x15\x03\x01\0\x02\x02F", "wrong_protocol", tls],
    ["http", page("<html>The plain HTTP request was sent to HTTPS port</html>"), "wrong_protocol", tls],
    ["http", "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n", "wrong_protocol", tls],
    ["http", page("Reason: You're speaking plain HTTP to an SSL-enabled server port."), "wrong_protocol", tls],
    ["http", "\0\0\0\x04\0\0\0\0\0", "wrong_protocol", http2],
    ["http", "", "node_down", "other side closed (does the node speak https?)"],
  ])("asked by %s, a server that says %j is told as what it is", async (scheme, said, kind, words) => {
    const server = createPlainServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(said));
    });
    const error = await failureOf(server, scheme);
    expect(error).toMatchObject({ kind });
    expect(String(error)).toContain(words);
  });
});
