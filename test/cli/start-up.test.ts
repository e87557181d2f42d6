import { describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { asWords, ended, launcher, runMovedex, runProcess, test } from "../support/index.ts";

/**
 * Prints on stderr, when the process ends, the packages and the rooms of `src`, or `sim`, that it loaded, and how many files of `src`. Of a
 * capability, its entry and what declares its command, tables and views do not count.
 */
const trace = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const loaded = new Set();
  const files = new Set();
  registerHooks({ load(url, context, next) {
      if (/\\/src\\//.test(url)) files.add(url);
      loaded.add(/\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1] ?? "");
      const isEntry = /\\/node_modules\\/|\\/capabilities\\/[a-z]+\\/(?:index|command|tables|views)\\.ts/.test(url);
      const folders = (!isEntry && /\\/((?:src|sim)\\/.*)\\/[^/]+$/.exec(url)?.[1] || "").split("/");
      for (const [depth] of folders.entries()) loaded.add(folders.slice(0, depth + 1).join("/"));
      return next(url, context);
    },
  });
  process.on("exit", () => process.stderr.write("\\n" + JSON.stringify({ loaded: [...loaded].filter(Boolean).sort(), files: files.size })));
`)}`;

async function loadedBy(...argv: readonly string[]): Promise<{ readonly loaded: readonly string[]; readonly files: number }> {
  const { stderr } = await ended(runProcess(process.execPath, ["--import", trace, launcher, ...argv]));
  return JSON.parse(stderr.split("\n").at(-1) as string);
}

describe("a start loads what the command needs", () => {
  test.each(["--help", "--version", "sync --help"])("movedex %s: no database, no network, no server", async (line) => {
    const { loaded } = await loadedBy(...line.split(" "));
    expect(loaded.filter((name) => !/^src\b/.test(name))).toEqual(["commander"]);
    const rooms = asWords`db/archive work db/engine/sqlite db/schema move/module`.map((room) => `src/core/${room}`);
    for (const room of [...rooms, "src/capabilities/serve", "src/capabilities/export", "sim"]) expect(loaded).not.toContain(room);
  });

  test("movedex status: no network, no server, no files of other formats, nothing that writes", async ({ place }) => {
    const db = place.file("night.db");
    await runMovedex(["targets", "add", "0x1", "--db", db]);
    const { loaded } = await loadedBy("status", "--db", db);
    expect(loaded).toContain("better-sqlite3");
    const files = [
      "undici",
      "fastify",
      "p-queue",
      "hyparquet",
      "hyparquet-writer",
      "src/capabilities/serve",
      "src/capabilities/export",
      "sim",
    ];
    for (const name of [...files, "drizzle-orm", "src/capabilities/import", "src/core/db/archive/content", "src/core/move/module"])
      expect(loaded).not.toContain(name);
  });

  test("movedex sync of one account, once there is an archive: at most 139 files", async ({ place }) => {
    await using node = await startSimNode({ ledger: createSampleLedger().ledger });
    const sync = ["sync", "--rpc", node.url, "--db", place.file("night.db"), "--account", "0x1", "--rate", "0"];
    await runMovedex([...sync, "--ledger-version", "-1"]);
    const { loaded, files } = await loadedBy(...sync);
    expect(files).toBeLessThanOrEqual(139);
    for (const name of [
      "pg",
      "fastify",
      "hyparquet",
      "drizzle-orm",
      "src/capabilities/serve",
      "src/capabilities/explorer",
      "src/capabilities/pages",
      "src/capabilities/targets/file",
    ])
      expect(loaded).not.toContain(name);
  });
});
