import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A simulated node in a process of its own. */
export async function startNode(program: string, ...words: readonly string[]) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value as string;
  const { url, head } = JSON.parse(await line()) as { url: string; head: string };
  const tell = async (word: string): Promise<void> => {
    child.stdin.write(`${word} 1000\n`);
    await line();
  };
  return { url, head, line, tell, end: () => child.stdin.end() };
}

/** A node of accounts with distinct modules, and a file of their addresses and of `others`. */
export async function startDistinct(targets: string, words: readonly string[], others: Iterable<string> = []) {
  const node = await startNode("real-modules-node.ts", ...words);
  writeFileSync(targets, [...others, ...(await node.line()).split(" ")].join("\n"));
  return node;
}
