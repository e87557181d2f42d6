import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const main = fileURLToPath(new URL("../../sim/main.ts", import.meta.url));

type Lines = () => Promise<Record<string, string | number>>;

function start(...options: string[]): { readonly child: ChildProcessWithoutNullStreams; readonly next: Lines } {
  const child = spawn(process.execPath, [main, ...options]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, next: async () => JSON.parse((await lines.next()).value ?? "{}") };
}

describe("main", () => {
  test("serves the sample, obeys its stdin, and ends when that closes", async () => {
    const { child, next } = start("--sample");
    const first = await next();
    expect(first).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/), head: "2592000", oldest: "864000" });
    expect((await fetch(String(first["url"]))).headers.get("x-aptos-ledger-version")).toBe("2592000");
    child.stdin.write("day\n");
    expect(await next()).toMatchObject({ head: "3456004", requests: 1, peakConcurrency: 1 });
    child.stdin.write("advance 6\nprune 3456010\nfly\n");
    expect(await next()).toMatchObject({ head: "3456010" });
    expect(await next()).toMatchObject({ oldest: "3456010" });
    expect(await next()).toMatchObject({ unknown: "fly" });
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
