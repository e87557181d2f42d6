import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asWords, ended } from "../command/command-lines.ts";
import { runProcess } from "../command/movedex-process.ts";
import type { CliResult } from "../run-cli.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");
const LISTS = ["capabilities.ts", "capability-tables.ts", "capability-views.ts"];
const ENTRIES = ["decode.ts", "diff.ts", "explain.ts"];

/**
 * A copy of the program, from which capabilities are taken out and put back. It stays where it is: TypeScript and Node.js keep what they
 * found of files by their paths, so that of each state they read only what differs.
 */
export class CopiedProgram {
  readonly path = temporaryDirectory().path;
  #gone: readonly string[] = [];

  constructor(...more: readonly string[]) {
    for (const name of ["bin", "src", "sim", "migrations", "package.json", "tsconfig.json", ...more])
      cpSync(join(root, name), join(this.path, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.path, "node_modules"));
  }

  /** Takes capabilities out of the whole program: their folders, their lines, and the entries of the package that import one. */
  takeOut(taken: ReadonlySet<string>): void {
    for (const name of this.#gone) cpSync(join(root, "src", name), join(this.path, "src", name), { recursive: true });
    this.#gone = [...LISTS, ...ENTRIES, "index.ts", ...Array.from(taken, (name) => `capabilities/${name}`)];
    for (const folder of taken) {
      this.#remove(`capabilities/${folder}`);
      this.#change("capabilities.ts", (text) => {
        const [line = "", name = ""] =
          new RegExp(`^import \\{ (\\w+) \\} from "\\./capabilities/${folder}/index\\.ts";\\n`, "m").exec(text) ?? [];
        return text.replace(line, "").replace(new RegExp(`^  (?:${name || folder}|\\{ name: "${folder}".* \\}),\n`, "m"), "");
      });
      for (const list of LISTS.slice(1))
        this.#change(list, (text) => text.replaceAll(new RegExp(`^(?:import .*/capabilities/${folder}/.*|  ${folder}: .*)\n`, "gm"), ""));
    }
    const imported = new RegExp(`from "\\./capabilities/(?:${[...taken].join("|")})/`);
    for (const entry of ENTRIES) if (imported.test(this.#read(entry))) this.#remove(entry);
    // `movedex` is all of them and the opened archive.
    const isWhole = ENTRIES.every((entry) => existsSync(this.#at(entry)));
    if (!isWhole || imported.test(this.#read("index.ts"))) this.#remove("index.ts");
  }

  /** What TypeScript has to say. The first time it checks the whole program; afterwards what is not as it was then. */
  async compile(): Promise<string> {
    const [first, own] = [join(this.path, "whole.tsbuildinfo"), join(this.path, "own.tsbuildinfo")];
    const isFirst = !existsSync(first);
    if (!isFirst) cpSync(first, own);
    // One thread and no collection: half the time of a core, and other tests have the other cores.
    const argv = asWords`${tsc} -p . --singleThreaded --incremental --tsBuildInfoFile ${isFirst ? first : own}`;
    return (await runProcess(process.execPath, argv, { cwd: this.path, env: { ...process.env, GOGC: "off" } })).stdout;
  }

  /** Runs command lines, one after the other in one process. */
  async run<Lines extends readonly (readonly string[])[]>(lines: readonly [...Lines]) {
    const program = `
      const { processIo } = await import("./src/core/cli/io.ts");
      const { main } = await import("./src/main.ts");
      const ended = [];
      for (const argv of JSON.parse(process.argv[1])) {
        const said = { stdout: "", stderr: "" };
        const [stdout, stderr] = [async (text) => void (said.stdout += text), (text) => void (said.stderr += text)];
        const code = await main(argv, { ...processIo(), stdout, stderr });
        ended.push({ ...said, code });
      }
      process.stdout.write(JSON.stringify(ended));`;
    const { stdout } = await ended(
      runProcess(process.execPath, ["--input-type=module", "-e", program, JSON.stringify(lines)], {
        cwd: this.path,
        env: { ...process.env, NODE_COMPILE_CACHE: join(this.path, "compiled") },
      }),
    );
    return JSON.parse(stdout) as { [Line in keyof Lines]: Pick<CliResult, "code" | "stdout" | "stderr"> };
  }

  #at(name: string): string {
    return join(this.path, "src", name);
  }

  #read(name: string): string {
    return readFileSync(this.#at(name), "utf8");
  }

  #change(name: string, edit: (text: string) => string): void {
    writeFileSync(this.#at(name), edit(this.#read(name)));
  }

  #remove(name: string): void {
    rmSync(this.#at(name), { recursive: true });
  }
}
