import type { Socket } from "node:net";

const brokenStatus: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "request header fields too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "request timeout"],
};

/** Answers what is not HTTP with one error, and closes the connection. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const [status, message] = brokenStatus[error.code ?? ""] ?? [400, "bad request"];
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ message, error_code: "web_framework_error", vm_error_code: null });
  socket.end(
    `HTTP/1.1 ${status} ${message}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
