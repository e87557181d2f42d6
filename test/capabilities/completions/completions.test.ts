import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ended, runCli, temporaryDirectory } from "../../support/index.ts";

type Shell = "bash" | "zsh" | "fish";

const isThere = (shell: Shell): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;
const movedex = `'${process.execPath}' '${new URL("../../../bin/movedex.mjs", import.meta.url).pathname}'`;

/** A program for each shell that prints what it proposes behind `movedex targets i`. */
const programs: Readonly<Record<Shell, (script: string) => readonly string[]>> = {
  bash: (script) => [
    "--norc",
    "-c",
    `movedex() { ${movedex} "$@"; }; source ${script}; COMP_WORDS=(movedex targets i); COMP_CWORD=2; _movedex; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Stand-ins for what zsh loads of itself.
  zsh: (script) => [
    "-f",
    "-c",
    `movedex() { ${movedex} "$@" }; compdef() { :; }; _describe() { print -rl -- "\${(@P)2}"; }; source ${script}; words=(movedex targets i); CURRENT=3; _movedex`,
  ],
  fish: (script) => ["--no-config", "-c", `function movedex; ${movedex} $argv; end; source ${script}; complete -C 'movedex targets i'`],
};

describe.each(Object.entries(programs) as [Shell, (typeof programs)[Shell]][])("completions for %s", (shell, program) => {
  test.skipIf(!isThere(shell))(`are asked of movedex${isThere(shell) ? "" : " (skipped: it is not installed)"}`, async () => {
    using place = temporaryDirectory();
    const script = place.file("script");
    writeFileSync(script, (await ended(runCli(["completions", shell]))).stdout);
    const { stdout, stderr } = spawnSync(shell, program(script), { encoding: "utf8", timeout: 20_000 });
    expect([stdout.split("\n").map((line) => line.split(/[:\t]/)[0]), stderr]).toEqual([["import", ""], ""]);
  });
});
