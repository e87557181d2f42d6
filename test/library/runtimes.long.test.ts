import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { differenceOf } from "../../src/capabilities/changes/compare/difference.ts";
import { readExpectedAbis } from "../abi/support/expected-abis.ts";
import { chromiumPath, openChromium } from "../capabilities/serve/support/chromium.ts";
import { changedModules, frameworkHistory, moduleReader, readReleases, runProcess, temporaryDirectory } from "../support/index.ts";
import { bundle, findRuntime, makeProject, serveProject } from "./support/runtimes.ts";

/** What a page may have to download to decode, gzipped. */
const DECODE_BYTES_MAX = 40_000;
const EVERYTHING = 'export * from "movedex/decode";export * from "movedex/diff";export * from "movedex/explain";';

describe("movedex/decode, movedex/diff and movedex/explain, as built", () => {
  const project = temporaryDirectory();
  beforeAll(() => makeProject(project.path));

  test("ask for nothing of Node.js", async () => {
    const { code } = await bundle(project.path, EVERYTHING);
    for (const word of [/\bBuffer\b/, /\bprocess[.[]/, /\brequire\(/, /["'`]node:/, /\bimport\s*["'({*]/])
      expect(word.exec(code)?.[0]).toBeUndefined();
  });

  test(`are small: decode is at most ${DECODE_BYTES_MAX} bytes gzipped, and a single function brings what it needs`, async () => {
    const sizes: Record<string, number> = {};
    for (const [name, source] of Object.entries({
      decode: 'export * from "movedex/decode";',
      diff: 'export * from "movedex/diff";',
      explain: 'export * from "movedex/explain";',
      decodeModule: 'export { decodeModule } from "movedex/decode";',
      formatSignature: 'export { formatSignature } from "movedex/decode";',
      worstSeverity: 'export { worstSeverity } from "movedex/diff";',
    })) {
      sizes[name] = (await bundle(project.path, source)).gzipped;
    }
    expect(sizes["decode"]).toBeLessThan(DECODE_BYTES_MAX);
    const told = [...readFileSync("docs/library.md", "utf8").matchAll(/^\| `movedex\/(\w+)` .* (\d+) kB \|$/gm)];
    expect(told).toHaveLength(3);
    for (const [line, name = "", kB] of told) expect(Math.abs((sizes[name] as number) / 1000 - Number(kB)), line).toBeLessThan(1);
    expect(sizes["decodeModule"]).toBeLessThan((sizes["decode"] as number) * 0.8);
    expect(sizes["formatSignature"]).toBeLessThan(1000);
    expect(sizes["worstSeverity"]).toBeLessThan(500);
  });

  describe.skipIf(frameworkHistory === undefined)(
    "on the 1,889 real modules with the ABIs expected of them (skipped where they are not there)",
    () => {
      const { data, expected } = frameworkHistory === undefined ? { data: "", expected: {} } : prepare(frameworkHistory);
      const served = async () => serveProject(project.path, data);
      const ran = async (program: string, ...args: string[]) => {
        await using server = await served();
        const deno = { DENO_DIR: project.file("deno"), DENO_NO_UPDATE_CHECK: "1" };
        const how = { cwd: project.path, env: { PATH: process.env["PATH"], HOME: project.path, NO_COLOR: "1", ...deno } };
        const { code, stdout, stderr } = await runProcess(program, [...args, "run.js", `${server.url}data.json`], how);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        return JSON.parse(stdout);
      };

      test("say the same in Node.js", async () => expect(await ran(process.execPath)).toMatchObject(expected));

      const deno = findRuntime("deno");
      test.skipIf(deno === undefined)(
        "say the same in Deno, which lets them reach only the data (skipped where it is not there)",
        async () => expect(await ran(deno as string, "run", "--no-prompt", "--allow-net=127.0.0.1")).toMatchObject(expected),
      );

      const bun = findRuntime("bun");
      test.skipIf(bun === undefined)("say the same in Bun (skipped where it is not there)", async () =>
        expect(await ran(bun as string)).toMatchObject(expected),
      );

      test.skipIf(chromiumPath === undefined)(
        "say the same in Chromium, from the package's own files (skipped without Chromium)",
        async () => {
          await using server = await served();
          await using chromium = await openChromium();
          const page = await chromium.browser.newPage();
          await page.goto(server.url);
          // As text, since Vitest would make a call of its own of an import.
          const seen = await page.evaluate('import("/check.js").then(({ check }) => check("/data.json"))');
          expect(seen).toMatchObject({ ...expected, hasBuffer: false });
        },
      );

      test.skipIf(chromiumPath === undefined)("say the same in a web worker, bundled (skipped without Chromium)", async () => {
        const { code } = await bundle(project.path, 'export * from "./check.js";');
        writeFileSync(project.file("bundled.js"), code);
        await using server = await served();
        await using chromium = await openChromium();
        const page = await chromium.browser.newPage();
        await page.goto(server.url);
        const seen = await page.evaluate(`new Promise((resolve, reject) => {
          const worker = new Worker("/worker.js", { type: "module" });
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => reject(new Error(message));
          worker.postMessage("/data.json");
        })`);
        expect(seen).toMatchObject({ ...expected, hasBuffer: false });
      });
    },
  );
});

/** The modules with their expected ABIs, and two years of upgrades between every twentieth release, with the results of Node.js. */
function prepare(directory: string): { readonly data: string; readonly expected: object } {
  const all = readExpectedAbis(directory);
  const places = new Map(all.map(({ expected }, i) => [expected.sha256, i]));
  const read = moduleReader(directory);
  const releases = readReleases(directory).filter((_, i) => i % 20 === 0);
  const changes = releases.slice(1).flatMap((release, i) => [...changedModules(releases[i] as typeof release, release)]);
  const upgrades = changes.filter(
    (change): change is readonly [string, string, string] => change[1] !== undefined && change[2] !== undefined,
  );
  const coin = all.findIndex(({ expected: { abi, errors } }) => abi.name === "coin" && errors["1"] !== undefined);
  const [name] = all[coin]?.expected.errors["1"] ?? expect.fail();
  return {
    data: JSON.stringify({
      modules: all.map(({ expected, bytes }) => ({
        bytecode: `0x${Buffer.from(bytes).toString("hex")}`,
        version: expected.bytecode_version,
        abi: expected.abi,
      })),
      upgrades: upgrades.map(([, before, after]) => [places.get(before), places.get(after)]),
      abort: { message: "Move abort in 0x1::coin: 0x10001", module: coin },
    }),
    expected: {
      modules: 1889,
      differing: 0,
      upgrades: upgrades.map(([, before, after]) => {
        const difference = differenceOf(read(before), read(after), { codeLines: 20_000 });
        return { depth: difference?.depth, sha256: { before, after }, rules: difference?.findings.map(({ rule }) => rule) };
      }),
      error: name,
      refused: "MOVEDEX_DECODE_UNSUPPORTED_VERSION",
    },
  };
}
