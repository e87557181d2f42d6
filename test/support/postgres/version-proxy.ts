import { connect, createServer, type Socket } from "node:net";
import { listen } from "../loopback.ts";
import { framed, message, SSL_REQUEST } from "./messages.ts";

/** What a server says of its version: by number, as `server_version_num`, and in words, as `server_version`. */
export type ServerVersion = { readonly number: string; readonly words: string };

/** A way to a server that is of another version by all that it says: where versions are tested that cannot be installed here. */
export type VersionProxy = AsyncDisposable & { readonly port: number };

/**
 * Starts a proxy in front of a server on loopback. What the server says of its version, when a session begins (ParameterStatus) and in
 * the fields of rows (DataRow), is put in the other one's words; all else passes as it is.
 */
export async function versionProxy(serverPort: number, real: ServerVersion, told: ServerVersion): Promise<VersionProxy> {
  const words = new Map([
    [real.number, told.number],
    [real.words, told.words],
  ]);
  const rewritten = (bytes: Buffer): Buffer => {
    const letter = String.fromCharCode(bytes[0] as number);
    if (letter === "S") return message(letter, Buffer.from(statusWith(bytes, words)));
    return letter === "D" ? message(letter, rowWith(bytes, words)) : bytes;
  };
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: serverPort, host: "127.0.0.1", noDelay: true });
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
    // Ends with the socket, in whatever way that goes.
    forward(framed(client, true), server, (bytes) => bytes, client).catch(() => {});
    forward(framed(server, false), client, rewritten).catch(() => {});
  });
  return { port: await listen(proxy), [Symbol.asyncDispose]: async () => void proxy.close() };
}

/** Passes messages on; a client that would speak TLS hears that the server does not. */
async function forward(from: AsyncIterable<Buffer>, to: Socket, change: (bytes: Buffer) => Buffer, client?: Socket): Promise<void> {
  for await (const bytes of from) {
    if (bytes.length === 8 && bytes.readInt32BE(4) === SSL_REQUEST) client?.write("N");
    else to.write(change(bytes));
  }
}

/** ParameterStatus: a name and a value, each with a zero after it. */
function statusWith(bytes: Buffer, words: ReadonlyMap<string, string>): string {
  const texts = bytes.toString("utf8", 5).split("\0");
  return texts.map((text) => words.get(text) ?? text).join("\0");
}

/** DataRow: how many fields, then each as its length and its bytes; the length −1 stands for null. */
function rowWith(bytes: Buffer, words: ReadonlyMap<string, string>): Buffer {
  const parts: Buffer[] = [bytes.subarray(5, 7)];
  for (let at = 7; at < bytes.length; ) {
    const length = Math.max(bytes.readInt32BE(at), 0);
    const field = bytes.subarray(at + 4, at + 4 + length);
    const other = words.get(field.toString("utf8"));
    if (other === undefined) parts.push(bytes.subarray(at, at + 4 + length));
    else {
      const size = Buffer.alloc(4);
      size.writeInt32BE(Buffer.byteLength(other));
      parts.push(size, Buffer.from(other));
    }
    at += 4 + length;
  }
  return Buffer.concat(parts);
}
