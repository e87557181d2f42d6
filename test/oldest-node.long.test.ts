import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answersOf, ExampleScene, helpExamples, servers } from "./support/command/help-examples.ts";
import { runProcess, temporaryDirectory } from "./support/index.ts";
import { findNode, packedRelease } from "./support/package/pack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { engines, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
};
/** The very version that `engines` begins with. */
const oldest = `${engines.node.replace(">=", "")}.0.0`.split(".").slice(0, 3).join(".");
const node = findNode(oldest);

const examples = await helpExamples();

describe.skipIf(node === undefined)(`the packed program on Node.js ${oldest} (skipped where it is not there)`, () => {
  const place = temporaryDirectory();
  const folder = place.file("folder");
  const launcher = place.file("package/bin/movedex.mjs");
  let scene: ExampleScene;

  beforeAll(async () => {
    const { tarball } = await packedRelease();
    await runProcess("tar", ["-xzf", tarball, "-C", place.path]);
    mkdirSync(place.file("package/node_modules"));
    for (const name of Object.keys(dependencies)) symlinkSync(join(root, "node_modules", name), place.file(`package/node_modules/${name}`));
    mkdirSync(folder);
    scene = await ExampleScene.open(folder, run);
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  /** Runs the packed program; a server is told to stop once it has answered with its first page. */
  async function run(words: readonly string[], isServer = false): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const env = { PATH: process.env["PATH"], HOME: folder, DATABASE_URL: "night.db", BROWSER: "true" };
    const child = spawn(node as string, [launcher, ...words], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    let page: Promise<Response> | undefined;
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
        const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(said[name]) ?? [];
        if (!isServer || address === undefined || page !== undefined) return;
        page = fetch(address).finally(() => child.kill("SIGTERM"));
      });
    const [code] = (await once(child, "close")) as [number | null];
    if (isServer) expect((await page)?.status, said.stderr).toBe(200);
    return { code, ...said };
  }

  test("is run by that version", async () => {
    const { stdout } = await run(["version", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ node: oldest });
  });

  test.each(examples)("$name: $line", async (example) => {
    const { code, stderr } = await run(scene.prepare(example), servers.has(example.name));
    expect(answersOf(example.name), stderr).toContain(code);
    expect(stderr).not.toMatch(/Warning|Error:/);
  });
});
