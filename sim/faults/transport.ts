import type { ServerResponse } from "node:http";
import type { Delivery, Fault } from "./fault.ts";

const PIECE = Buffer.alloc(64 * 1024, " ");

/** The connection is reset before a byte of the answer. */
export function resetBeforeHeaders(): Fault {
  return { name: "reset before headers", deliver: ({ response }) => response.socket?.resetAndDestroy() };
}

/** The connection is reset once the headers and half of the body are sent. */
export function resetAfterHeaders(): Fault {
  return { name: "reset after headers", deliver: (delivery) => sendHalf(delivery, ({ socket }) => socket?.resetAndDestroy()) };
}

/** The length is that of the whole body, and the connection ends properly after half of it. */
export function cutBody(): Fault {
  return { name: "cut body", deliver: (delivery) => sendHalf(delivery, ({ socket }) => socket?.end()) };
}

/** The answer comes in chunks, and the connection ends properly before the last of them. */
export function cutChunks(): Fault {
  return { name: "cut chunks", deliver: (delivery) => sendHalf(delivery, ({ socket }) => socket?.end(), { chunked: true }) };
}

/** Nothing is sent; after `holdMs`, if given, the connection is reset. */
export function silence(holdMs?: number): Fault {
  return { name: "silence", deliver: ({ response }) => resetLater(response, holdMs) };
}

/** Headers and half of the body are sent, then nothing; after `holdMs`, if given, the connection is reset. */
export function stall(holdMs?: number): Fault {
  return { name: "stall", deliver: (delivery) => sendHalf(delivery, (response) => resetLater(response, holdMs)) };
}

/** The right answer, `delayMs` late. */
export function late(delayMs: number): Fault {
  return { name: "late", deliver: ({ send }) => void setTimeout(send, delayMs).unref() };
}

/** The right answer, kept back until something else has come about. */
export function held(until: Promise<unknown>): Fault {
  return { name: "held", deliver: ({ send }) => void until.then(send) };
}

/** The right answer, its body in `pieces` equal pieces, one every `pauseMs`. */
export function drip(options: { readonly pieces: number; readonly pauseMs: number }): Fault {
  return {
    name: "drip",
    deliver: ({ response, status, headers, body }) => {
      response.writeHead(status, headers);
      const size = Math.max(1, Math.ceil(body.length / options.pieces));
      const sendFrom = (offset: number): void => {
        if (response.destroyed) return;
        if (offset >= body.length) {
          response.end();
          return;
        }
        response.write(body.subarray(offset, offset + size));
        setTimeout(() => sendFrom(offset + size), options.pauseMs).unref();
      };
      sendFrom(0);
    },
  };
}

/** Answers of status 103 without end; the client has to hang up. */
export function endlessHints(): Fault {
  return {
    name: "endless 103s",
    deliver: ({ response }) => {
      const hint = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);
      const pour = (): void => {
        const { socket } = response;
        if (socket === null || socket.destroyed) return;
        if (socket.write(hint)) setImmediate(pour);
        else socket.once("drain", pour);
      };
      pour();
    },
  };
}

/** A JSON list of `sizeBytes` blanks, in chunks that are made as they are read. */
export function endlessBody(sizeBytes: number): Fault {
  return {
    name: "endless body",
    deliver: ({ response, headers }) => {
      response.writeHead(200, { ...withoutLength(headers), "content-type": "application/json; charset=utf-8" });
      response.write("[");
      let left = sizeBytes;
      const pour = (): void => {
        while (left > 0 && !response.destroyed) {
          left -= PIECE.length;
          if (!response.write(PIECE)) {
            response.once("drain", pour);
            return;
          }
        }
        response.end("]");
      };
      pour();
    },
  };
}

function sendHalf(
  { response, status, headers, body }: Delivery,
  then: (response: ServerResponse) => void,
  options: { chunked?: boolean } = {},
): void {
  const plain = withoutLength(headers);
  response.writeHead(status, options.chunked ? plain : { ...plain, "content-length": String(body.length) });
  response.flushHeaders();
  // The callback is called when the system has taken the bytes, so that the client sees them before the end.
  response.write(body.length > 1 ? body.subarray(0, body.length >>> 1) : " ", () => then(response));
}

function resetLater(response: ServerResponse, holdMs: number | undefined): void {
  if (holdMs !== undefined) setTimeout(() => response.socket?.resetAndDestroy(), holdMs).unref();
}

function withoutLength(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "content-length"));
}
