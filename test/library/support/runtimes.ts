import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { listening, runProcess } from "../../support/index.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const runtimes = join(root, ".witnesses/runtimes/node_modules/.bin");

/** A runtime that `.ci/run` brings; undefined where it is not there. */
export function findRuntime(name: "deno" | "bun"): string | undefined {
  const path = join(runtimes, name);
  return existsSync(path) ? path : undefined;
}

/** A project with the built package in its node_modules and runtime-check.js beside it. */
export async function makeProject(directory: string): Promise<void> {
  const inside = join(directory, "node_modules/movedex");
  mkdirSync(inside, { recursive: true });
  const { code, stderr } = await runProcess(process.execPath, ["scripts/build.ts", "--out", join(inside, "dist")], { cwd: root });
  if (code !== 0) throw new Error(stderr);
  cpSync(join(root, "package.json"), join(inside, "package.json"));
  writeFileSync(join(directory, "package.json"), '{"type":"module","dependencies":{"movedex":"*"}}');
  cpSync(new URL("runtime-check.js", import.meta.url), join(directory, "check.js"));
  writeFileSync(
    join(directory, "run.js"),
    'import { check } from "./check.js";\nconsole.log(JSON.stringify(await check(process.argv[2])));\n',
  );
  writeFileSync(
    join(directory, "worker.js"),
    'import { check } from "/bundled.js";\nonmessage = async ({ data }) => postMessage(await check(data));\n',
  );
}

/** What a page would download of a module, bundled in the project and made small. */
export async function bundle(directory: string, source: string): Promise<{ readonly code: string; readonly gzipped: number }> {
  const entry = join(directory, "entry.js");
  writeFileSync(entry, source);
  const output = await build({
    configFile: false,
    logLevel: "silent",
    root: directory,
    build: { write: false, lib: { entry, formats: ["es"], fileName: "page" }, rolldownOptions: { output: { minify: true } } },
  });
  const [{ output: chunks }] = output as unknown as [{ output: { code: string }[] }];
  if (chunks.length !== 1) throw new Error(`${chunks.length} files instead of one`);
  const { code } = chunks[0] as { code: string };
  return { code, gzipped: gzipSync(code, { level: 9 }).length };
}

const PAGE = `<!doctype html><meta charset=utf-8><script type=importmap>${JSON.stringify({
  imports: Object.fromEntries(["decode", "diff", "explain"].map((name) => [`movedex/${name}`, `/node_modules/movedex/dist/${name}.js`])),
})}</script>`;

/** The project's files as any web server gives them, with a page that knows the package by name, and `data` beside them. */
export async function serveProject(directory: string, data: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(({ url = "/" }, response) => {
    const file = join(directory, url);
    const [type, body] =
      url === "/" ? ["text/html", PAGE] : url === "/data.json" ? ["application/json", data] : ["text/javascript", readIfThere(file)];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` });
    response.end(body);
  });
  const listener = await listening(server);
  return { ...listener, url: `${listener.origin}/` };
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
