import type { Socket } from "node:net";

// postgresql.org/docs/current/protocol-message-formats.html
/** What a client asks first where it would speak TLS; any other first message begins the session. */
export const SSL_REQUEST = 80_877_103;

/** The messages on a socket; the first of a client has no letter before its length. */
export async function* framed(socket: Socket, isClient: boolean): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let hasLetter = !isClient;
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      const start = hasLetter ? 1 : 0;
      if (rest.length < start + 4 || rest.length < start + rest.readInt32BE(start)) break;
      const end = start + rest.readInt32BE(start);
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end);
      if (!hasLetter) hasLetter = bytes.readInt32BE(4) !== SSL_REQUEST;
      yield bytes;
    }
  }
}

/** A message: its letter, its length, its body. */
export function message(letter: string, body: Uint8Array): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(letter, 0, "latin1");
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.set(body, 5);
  return bytes;
}
