import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { recipes } from "../../src/schema/cookbook/cookbook.ts";
import { ended } from "../support/command/ended.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

type Shell = "bash" | "zsh" | "fish" | "pwsh";

const isThere = (shell: Shell): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;
const note = (shell: Shell): string => (isThere(shell) ? shell : `${shell} (skipped: it is not installed)`);

/** What a shell proposes behind these words, the last of which is unfinished. */
type Completer = (script: string, words: readonly string[]) => string[];

const bash: Completer = (script, words) => {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program = `source ${script}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _movedex; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return lines(run("bash", ["--norc", "-c", program]));
};

// Stand-ins for what zsh loads of itself: each prints what it was given.
const zsh: Completer = (script, words) => {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: zsh's own
    'compdef() { :; }; _describe() { local name="${@[-1]}"; print -rl -- "${(@P)name}"; }; compadd() { shift; print -rl -- "$@"; }; ' +
    `_files() { print FILES; }; _message() { print "($1)"; }; source ${script}; words=(${quoted}); CURRENT=${words.length}; _movedex`;
  return lines(run("zsh", ["-f", "-c", program])).map((line) => line.split(":")[0] ?? "");
};

const fish: Completer = (script, words) => {
  const program = `source ${script}; complete -C '${words.join(" ")}'`;
  return lines(run("fish", ["--no-config", "-c", program])).map((line) => line.split("\t")[0] ?? "");
};

describe.each([
  ["bash", "bash", bash],
  ["zsh", "zsh", zsh],
  ["fish", "fish", fish],
] as const)("completions for %s", (name, shell, complete) => {
  const skip = test.skipIf(!isThere(shell));

  skip(`offer commands, options and values in ${note(shell)}`, async () => {
    using place = temporaryDirectory();
    const script = place.file("script");
    const { stdout } = await ended(runCli(["completions", name]));
    writeFileSync(script, stdout);
    const sorted = (words: readonly string[]) => complete(script, words).sort();
    expect(sorted(["movedex", "di"])).toContain("diff");
    expect(sorted(["movedex", "targets", ""])).toEqual(expect.arrayContaining(["add", "discover", "import", "list", "remove"]));
    expect(sorted(["movedex", "diff", "previous", "latest", "--format", ""])).toEqual(["github", "json", "markdown", "text"]);
    expect(sorted(["movedex", "diff", "--fail-on", ""])).toEqual(["behaviour", "breaking", "dangerous", "refused", "safe", "silent"]);
    expect(sorted(["movedex", "targets", "discover", "--d"])).toEqual(expect.arrayContaining(["--depth", "--dry-run", "--db"]));
    expect(sorted(["movedex", "targets", "list", "--d"])).not.toContain("--depth");
    expect(sorted(["movedex", "query", "--cookbook", ""])).toEqual(recipes.map((recipe) => recipe.name).sort());
    expect(sorted(["movedex", "cookbook", "who-"])).toContain("who-uses-struct");
    expect(sorted(["movedex", "schema", "functions_"])).toEqual(expect.arrayContaining(["functions_at", "functions_latest"]));
    expect(sorted(["movedex", "completions", ""])).toEqual(expect.arrayContaining(["bash", "fish", "zsh"]));
  });
});

test("an unknown shell is refused by name", async () => {
  const { stderr } = await ended(runCli(["completions", "tcsh"]), 64);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish");
});

function run(shell: Shell, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(shell, args, { encoding: "utf8", timeout: 20_000 });
  if (status !== 0 && stderr !== "") throw new Error(stderr);
  return stdout;
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
