import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { runProcess } from "../support/run-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { makeArchive } from "./archive.ts";
import { missingModules, named, python } from "./programs.ts";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const missing = spawnSync("rclone", ["version"]).status === 0 ? missingModules("moto.server") : "no rclone here";

test.skipIf(missing !== undefined)(
  named("the recipe for an off-site copy brings a backup to a bucket and back, and finds a changed copy", missing),
  async () => {
    using place = temporaryDirectory();
    await makeArchive(place.file("night.db"));
    expect(await runCli(["backup", `${place.file("backups")}/`, "--zstd", "--db", place.file("night.db")])).toMatchObject({ code: 0 });
    mkdirSync(place.file("bin"));
    writeFileSync(place.file("bin/movedex"), `#!/bin/sh\nexec '${process.execPath}' '${path("bin/movedex.mjs")}' "$@"\n`, { mode: 0o755 });

    // It ends when its stdin does.
    const server = spawn(python, [path("test/witnesses/python/s3_server.py")], { stdio: ["pipe", "pipe", "ignore"] });
    try {
      const endpoint = await new Promise<string>((resolve, reject) => {
        createInterface(server.stdout).on("line", (line) => line.startsWith("http:") && resolve(line));
        server.once("exit", () => reject(new Error("the S3 server ended")));
      });
      const page = readFileSync(path("docs/decisions/off-site.md"), "utf8");
      const [there = "", back = ""] = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block = ""]) =>
        block.replace("https://s3.example.org", endpoint).replaceAll("=…", "=testing"),
      );
      const settings = there.split("\n").filter((line) => line.startsWith("export "));
      const shell = (...lines: readonly string[]) => {
        const env = { PATH: `${place.file("bin")}:${process.env["PATH"]}`, HOME: place.path };
        return runProcess("sh", ["-euc", [...settings, ...lines].join("\n")], { cwd: place.path, env });
      };
      const copied = await shell("rclone mkdir remote:bucket", there, back);
      expect(copied, copied.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing wrong") });
      expect(copied.stderr).toContain("0 differences found");
      const [before, after] = await Promise.all(
        ["night.db", "restored.db"].map((db) => runCli(["snapshots", "--json", "--db", place.file(db)])),
      );
      expect(before?.stdout).toContain('"digest"');
      expect(after?.stdout).toBe(before?.stdout);

      const changed = await shell(
        "head -c 1000 fetched/* | rclone rcat remote:bucket/movedex/$(ls fetched)",
        there.replace(/^rclone copy.*$/m, ""),
      );
      expect(changed.code).not.toBe(0);
      expect(changed.stderr).toContain("1 differences found");
    } finally {
      server.stdin.end();
      if (server.exitCode === null) await once(server, "exit");
    }
  },
);
