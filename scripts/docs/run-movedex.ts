import { processIo } from "../../src/cli/io.ts";
import { main } from "../../src/main.ts";

/** Runs one command line inside this process; gives its stdout. @throws Error when it does not end with exit code 0 */
export async function runMovedex(args: readonly string[]): Promise<string> {
  let stdout = "";
  let stderr = "";
  const io = { ...processIo(), stderrIsTerminal: false, stdoutIsTerminal: false, env: {} };
  const code = await main(args, {
    ...io,
    stdout: async (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  if (code !== 0) throw new Error(`\`movedex ${args.join(" ")}\` ended with exit code ${code}: ${stderr}`);
  return stdout;
}
