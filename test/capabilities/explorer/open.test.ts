import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, expect, vi } from "vitest";
import { rawRequest, startMovedex, test } from "../../support/index.ts";

describe("movedex open", () => {
  test("demo --open prints the pages' address, opens it in the browser of BROWSER, and serves until it is stopped", async ({ place }) => {
    const [browser, opened] = [place.file("browser.sh"), place.file("opened")];
    writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`);
    chmodSync(browser, 0o755);
    const child = startMovedex(["demo", "--open"], {
      cwd: place.path,
      env: { ...process.env, BROWSER: browser },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(child, "close");
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout as Readable })) {
      url = /^http:\/\/127\.0\.0\.1:\d+\/$/.exec(line)?.[0];
      if (url !== undefined) break;
    }
    const { status, body } = await rawRequest(new URL(url as string).origin, { path: "/" });
    expect(status).toBe(200);
    expect(Buffer.from(body).toString()).toContain("3 modules changed");
    await vi.waitFor(() => expect(existsSync(opened) && readFileSync(opened, "utf8")).toBe(url), { timeout: 60_000 });
    child.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    expect(code).toBe(0);
  });
});
