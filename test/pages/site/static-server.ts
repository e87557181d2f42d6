import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { type Listening, listening } from "../../support/scene/listening.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".atom": "application/atom+xml",
};

/** A web server that knows files and nothing else, at any path below its root, until the end of its scope. */
export async function serveFiles(directory: string, base = "/"): Promise<Listening> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = pathname.startsWith(base) ? normalize(decodeURIComponent(pathname.slice(base.length))) : "..";
    const path = join(directory, file === "." || file === "" ? "index.html" : file);
    if (file.startsWith("..") || !existsSync(path) || !statSync(path).isFile()) response.writeHead(404).end("not found");
    else {
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
      createReadStream(path).pipe(response);
    }
  });
  return listening(server);
}
