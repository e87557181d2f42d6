import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { parse } from "yaml";
import { createSampleLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { exchangeAddress, exchangeModules } from "../../../sim/sample/exchange.ts";
import { isLongRun } from "../../run-size.ts";
import { runProcess, test } from "../../support/index.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

type Step = { readonly name?: string; readonly uses?: string; readonly run?: string; readonly env?: Record<string, string> };
type Action = {
  readonly inputs: Record<string, { readonly default?: string; readonly required?: boolean }>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};
const action = parse(readFileSync(`${root}action.yml`, "utf8")) as Action;
const step = (name: string): Step => action.runs.steps.find((one) => one.name === name) ?? expect.fail(name);

test("the action runs only what is pinned, and puts no input into a script's text", () => {
  expect(action.runs.using).toBe("composite");
  for (const { uses, run } of action.runs.steps) {
    if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
    // An input is a value of the environment: in the text of a script it would be run.
    else expect(run).not.toContain("${{");
    // One that begins with a dash is no option.
    expect(run ?? "").not.toMatch(/movedex (?:(?! -- ).)*"\$BUILD"/);
  }
  expect(action.inputs).toMatchObject({ sha256: { required: true }, accounts: { required: true } });
});

test.runIf(isLongRun)("the action runs nothing of a package of another hash, and says no to a build that breaks", async ({ place }) => {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  for (const [build, names] of Object.entries({
    good: exchangeModules.atFirst.filter(({ name }) => name === "curve"),
    bad: [exchangeModules.upgradedPool],
  })) {
    mkdirSync(place.file(`${build}/bytecode_modules`), { recursive: true });
    for (const spec of names) writeFileSync(place.file(`${build}/bytecode_modules/${spec.name}.mv`), writeModule(spec));
  }
  mkdirSync(place.file("bin"));
  writeFileSync(place.file("bin/movedex"), `#!/bin/sh\nexec "${process.execPath}" "${root}bin/movedex.mjs" "$@"\n`, { mode: 0o755 });
  writeFileSync(place.file("bin/npm"), "#!/bin/sh\necho npm was run\n", { mode: 0o755 });
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ""])),
    accounts: `0x1 ${exchangeAddress}`,
    rpc: node.url,
  };
  const run = (name: string, more: Record<string, string>) => {
    const { run: script = "", env = {} } = step(name);
    const inputs = { ...values, ...more };
    const given = Object.entries(env).map(([key, value]) => [
      key,
      value.replace(/\$\{\{ inputs\.([a-z0-9-]+) \}\}/, (_, input: string) => inputs[input] ?? ""),
    ]);
    return runProcess("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd: place.path,
      env: {
        PATH: [place.file("bin"), dirname(process.execPath), process.env["PATH"]].join(":"),
        HOME: place.path,
        RUNNER_TEMP: place.path,
        GITHUB_OUTPUT: place.file("output"),
        GITHUB_STEP_SUMMARY: place.file("summary"),
        GITHUB_REPOSITORY: "team/app",
        GITHUB_REF: "refs/pull/12/merge",
        ...Object.fromEntries(given),
      },
    });
  };
  writeFileSync(place.file("packed.tgz"), "another program");
  const installed = await run("Install movedex", { package: `file://${place.file("packed.tgz")}`, sha256: "00".repeat(32) });
  expect(installed.code).not.toBe(0);
  expect(installed.stdout).not.toContain("npm was run");

  writeFileSync(place.file("0x5"), "a file whose name a star would name");
  const starred = await run("Read the accounts as they are now", { accounts: `0x1\n 0x*` });
  expect(starred).toMatchObject({ code: 64, stderr: expect.stringContaining("0x*") as string });
  expect(await run("Read the accounts as they are now", {})).toMatchObject({ code: 0 });
  expect(await run("Check the build", { build: "good" })).toMatchObject({ code: 0 });
  const { code, stdout } = await run("Check the build", { build: "bad" });
  expect([code, stdout]).toEqual([100, expect.stringContaining("::error")]);
  const { version, runs } = JSON.parse(readFileSync(place.file("movedex.sarif"), "utf8")) as {
    version: string;
    runs: { results: { ruleId: string }[] }[];
  };
  expect([version, runs[0]?.results.map(({ ruleId }) => ruleId)]).toEqual(["2.1.0", expect.arrayContaining(["function-removed"])]);

  // The lock: one comment, written once and changed afterwards.
  const gh = place.file("gh.log");
  const answers = `*--paginate*) cat "${place.file("known")}";; *user*) [ -f "${place.file("known.user")}" ];;`;
  writeFileSync(place.file("bin/gh"), `#!/bin/sh\necho "$@" >> "${gh}"\ncase "$*" in ${answers} esac\n`, { mode: 0o755 });
  writeFileSync(place.file("known"), "");
  const asked = "api user --jq .login";
  mkdirSync(place.file("app/bytecode_modules"), { recursive: true });
  const imports = [{ module: `${exchangeAddress}::pool`, name: "spot_price", typeParams: ["", ""], returns: ["u128"] }];
  writeFileSync(place.file("app/bytecode_modules/app.mv"), writeModule({ address: "0xabc", name: "app", imports }));
  const checkLock = async () => {
    const ended = await run("Check the lock", { build: "app", token: "secret" });
    return { code: ended.code, calls: existsSync(gh) ? readFileSync(gh, "utf8").trimEnd().split("\n") : [] };
  };
  expect(await checkLock()).toEqual({ code: 0, calls: [] });
  const written = await runProcess(place.file("bin/movedex"), ["lock", "app", "--against", "movedex.db"], { cwd: place.path });
  expect(written).toMatchObject({ code: 0 });
  const list = "api repos/team/app/issues/12/comments --paginate";
  // A job's token, and that of a GitHub App, may not ask who it is.
  const byBot = expect.stringMatching(`${list} --jq .*select\\(\\.user\\.type == "Bot" and `);
  expect(await checkLock()).toMatchObject({ code: 0, calls: [asked, byBot] });
  writeFileSync(place.file("known.user"), "");
  sample.passDay();
  expect(await run("Read the accounts as they are now", {})).toMatchObject({ code: 0 });
  const body = `--field body=@${place.file("movedex-lock.md.cut")}`;
  const first = await checkLock();
  expect([first.code, first.calls.at(-1)]).toEqual([100, `api repos/team/app/issues/12/comments ${body}`]);
  expect(readFileSync(place.file("movedex-lock.md.cut"), "utf8")).toMatch(
    /^<!-- movedex lock -->\n## `movedex\.lock`\n[\s\S]*function-removed/,
  );
  // What fails says nothing, and leaves the comment as it is.
  const failed = await run("Check the lock", { build: "nowhere", token: "secret" });
  expect([failed.code, readFileSync(gh, "utf8").trimEnd().split("\n")]).toEqual([64, first.calls]);
  writeFileSync(place.file("known"), "77\n78\n");
  expect((await checkLock()).calls.at(-1)).toBe(`api --method PATCH repos/team/app/issues/comments/77 ${body}`);
});
