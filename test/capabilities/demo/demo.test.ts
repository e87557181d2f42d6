import { createServer } from "node:http";
import { describe, expect } from "vitest";
import { ended, listening, runCli, runMovedex, test } from "../../support/index.ts";

describe("movedex demo", () => {
  test("shows two nights and what can be asked afterwards in at most 25 lines, and can be run again", async ({ place }) => {
    const pinged: string[] = [];
    const watcher = createServer((request, response) => {
      pinged.push(request.url ?? "");
      response.end();
    });
    await using listener = await listening(watcher);
    const demo = () => runMovedex(["demo"], { cwd: place.path, env: { ...process.env, MOVEDEX_PING_URL: `${listener.origin}/n` } });
    const first = await demo();
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
    const withoutPort = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, "");
    const again = await demo();
    expect(withoutPort(again.stdout)).toBe(withoutPort(first.stdout));
    const status = await runCli(["status", "--db", place.file("movedex-demo.db")]);
    expect(status.stdout).toMatch(/^held +2 sealed snapshots/m);
    expect(pinged, "no service that watches nights is told").toEqual([]);
  });

  test("when a command of it fails, says which and why", async ({ place }) => {
    const { stderr } = await ended(
      runMovedex(["demo"], {
        cwd: place.path,
        env: { ...process.env, MOVEDEX_PING_URL: "not-a-url" },
      }),
      1,
    );
    expect(stderr).toContain("`movedex sync --rate 0` ended with exit code 64: movedex: the ping URL must");
  });
});
