import { expect } from "vitest";

/** What a command line or a process came to. */
type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Waits for a command that has to end with an exit code, and says what it printed where it ends with another. */
export async function ended<R extends Outcome>(running: R | Promise<R>, code = 0): Promise<R> {
  const result = await running;
  expect(result.code, `${result.stderr}${result.stdout}`).toBe(code);
  return result;
}
