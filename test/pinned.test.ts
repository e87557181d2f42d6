import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { sha256Hex } from "../src/core/base/sha256.ts";
import { listening, runProcess, temporaryDirectory } from "./support/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, "utf8");
const example = "jobs/examples/check.github.yml";
const workflows = ["action.yml", example, ".github/workflows/ci.yml", ".github/workflows/publish.yml"];

type Step = { readonly name?: string; readonly run?: string };
type Workflow = { readonly env: Record<string, string>; readonly jobs: Record<string, { readonly steps: readonly Step[] }> };

/** What a step of a workflow runs. */
function stepOf(file: string, job: string, name: string): string {
  const { jobs } = parse(read(file)) as Workflow;
  return jobs[job]?.steps.find((step) => step.name === name)?.run ?? expect.fail(`${file} has no step ${name}`);
}

const bash = (script: string, cwd: string, env: Record<string, string>) =>
  runProcess("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], { cwd, env });

describe("what others make", () => {
  test("an image that is not movedex's own is named by its digest", () => {
    const stages = new Set(Array.from(read("Dockerfile").matchAll(/ AS (\S+)$/gm), ([, name]) => name));
    const based = Array.from(read("Dockerfile").matchAll(/^FROM (\S+)/gm), ([, image]) => image as string);
    const files = globSync("{jobs,packaging,.github}/**/*.{yml,yaml}", { cwd: root });
    const named = files.flatMap((file) =>
      Array.from(read(file).matchAll(/^\s*(?:- )?image: *["']?([^"'\s#]+)/gm), ([, image]) => image as string),
    );
    const foreign = [
      ...based.filter((image) => !stages.has(image) && image !== "scratch"),
      ...named.filter((image) => !/(?:^|\/)movedex(?::|$)|\{\{/.test(image)),
    ];
    expect(foreign.map((image) => image.replace(/[0-9a-f]{64}$/, "…"))).toEqual([
      "node:24.18.0-bookworm-slim@sha256:…",
      "postgres:18-bookworm@sha256:…",
    ]);
  });

  test("an action is named by its commit, the same in each file, and its release is said", () => {
    const commits = new Map<string, string>();
    for (const file of workflows)
      for (const [line, action = "", rest = ""] of read(file).matchAll(/uses: ([^@\s]+)@(.*)/g)) {
        expect(rest, `${file}: ${line}`).toMatch(/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
        expect(commits.get(action) ?? rest, `${file}: ${line}`).toBe(rest);
        commits.set(action, rest);
      }
    expect(commits.size).toBe(4);
  });
});

describe("the image", () => {
  test("says that a service is ill when it answers with an error, or not at all, and asks nothing else", async () => {
    const [, condition = "", script = ""] = /^HEALTHCHECK .* CMD (.*?) \|\| node -e "(.*)"$/m.exec(read("Dockerfile")) ?? [];
    expect(condition).toBe("! grep -qzx serve /proc/1/cmdline");
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/v1/-/healthy" ? status : 404).end();
    });
    const { port, ...listener } = await listening(server);
    const ask = async () => (await runProcess(process.execPath, ["-e", script.replace(":8080/", `:${port}/`)])).code;
    expect(await ask()).toBe(0);
    status = 503;
    expect(await ask()).toBe(1);
    await listener[Symbol.asyncDispose]();
    expect(await ask()).toBe(1);
  });

  test("is built without databases, keys, settings and what the machine has installed", () => {
    const ignored = read(".dockerignore").split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining([".git", "**/node_modules", "*.db", "*.db-*", ".env*", "*.toml", "*.pem", "*.key", "*.p12", "id_*"]),
    );
  });
});

describe("the example workflow", () => {
  const { env } = parse(read(example)) as Workflow;
  const install = stepOf(example, "check", "Install movedex");

  /** A place whose npm only says what it was to install. */
  function scene() {
    const place = temporaryDirectory();
    mkdirSync(place.file("bin"));
    writeFileSync(place.file("bin/npm"), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
    mkdirSync(place.file("out"));
    writeFileSync(place.file("out/movedex-1.2.3.tgz"), "a package");
    const variables = { PATH: `${place.file("bin")}:${process.env["PATH"]}`, RUNNER_TEMP: place.path };
    return { place, run: (values: Record<string, string>) => bash(install, place.path, { ...variables, ...values }) };
  }

  test("ends before it downloads anything where no hash of a release is filled in, and says where there is one", async () => {
    const { place, run } = scene();
    using _ = place;
    writeFileSync(place.file("bin/curl"), "#!/bin/sh\necho downloaded\n", { mode: 0o755 });
    for (const MOVEDEX_SHA256 of [env["MOVEDEX_SHA256"] ?? "", "", "abc"]) {
      const { code, stdout } = await run({ MOVEDEX: env["MOVEDEX"] ?? "", MOVEDEX_SHA256 });
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^::error::MOVEDEX_SHA256 is no hash of a release\. Take .*\n$/)]);
    }
    // A name that anybody may register at a registry runs nothing.
    expect(read(example)).not.toContain("npx");
  });

  test("is filled in by a release, and then installs its package and no other", async () => {
    const { place, run } = scene();
    using _ = place;
    const fill = stepOf(".github/workflows/publish.yml", "publish", "Example workflow, with the version and the hash");
    mkdirSync(place.file("jobs/examples"), { recursive: true });
    writeFileSync(place.file(example), read(example));
    const filled = await bash(fill, place.path, { PATH: process.env["PATH"] ?? "", GITHUB_REF_NAME: "v1.2.3" });
    expect(filled).toEqual({ code: 0, stdout: "", stderr: "" });
    const hash = sha256Hex("a package");
    const given = (parse(readFileSync(place.file("out/movedex-check.github.yml"), "utf8")) as Workflow).env;
    expect(given).toMatchObject({
      MOVEDEX: "https://github.com/movedex/movedex/releases/download/v1.2.3/movedex-1.2.3.tgz",
      MOVEDEX_SHA256: hash,
    });

    const here = { MOVEDEX: `file://${place.file("out/movedex-1.2.3.tgz")}` };
    const { code, stdout } = await run({ ...here, MOVEDEX_SHA256: hash });
    expect([code, stdout]).toEqual([0, expect.stringContaining("npm install --global --ignore-scripts")]);
    const other = await run({ ...here, MOVEDEX_SHA256: sha256Hex("another package") });
    expect([other.code, other.stdout]).toEqual([1, expect.not.stringContaining("npm install")]);
  });
});
