import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { ended, findBinaries, runProcess, temporaryDirectory } from "../../support/index.ts";

const demo = [fileURLToPath(new URL("../../../jobs/demo.ts", import.meta.url)), "--postgres"];

describe.skipIf(typeof findBinaries(18) === "string")(
  "npm run demo -- --postgres (skipped where PostgreSQL 18 from npm does not start)",
  () => {
    let place: ReturnType<typeof temporaryDirectory>;
    let env: NodeJS.ProcessEnv;
    beforeEach(() => {
      place = temporaryDirectory();
      // The server runs as another user where root starts it.
      chmodSync(place.path, 0o755);
      env = { ...process.env, TMPDIR: place.path, NODE_DISABLE_COMPILE_CACHE: "1" };
    });

    test("shows two workers at one night and the one snapshot that they make, in at most 25 lines, and leaves nothing behind", async () => {
      const { stdout } = await ended(runProcess(process.execPath, demo, { cwd: place.path, env }));
      const lines = stdout.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(25);
      expect(lines.filter((line) => /^\S+Z {2}sync\s*$/.test(line))).toHaveLength(2);
      expect(lines.filter((line) => line.startsWith("sealed: ledger version 10000 of chain 4"))).toHaveLength(2);
      expect(lines.filter((line) => /^ +10000 +sealed/.test(line))).toHaveLength(1);
      expect(readdirSync(place.path)).toEqual([]);
    });

    test("stopped in the midst of it, ends what it started", async () => {
      const child = spawn(process.execPath, demo, { cwd: place.path, env, stdio: ["ignore", "pipe", "pipe"] });
      const stderr = text(child.stderr);
      const ended = once(child, "close");
      for await (const chunk of child.stdout) if (String(chunk).includes("$ movedex sync")) break;
      child.kill("SIGTERM");
      expect((await ended)[0], await stderr).toBe(1);
      expect(await stderr).toContain("stopped; the server and what it held are gone");
      expect(readdirSync(place.path)).toEqual([]);
    });
  },
);
