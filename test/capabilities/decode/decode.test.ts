import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initSync, TransactionComposer, wasmModule } from "@aptos-labs/script-composer-pack";
import { afterAll, describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { processIo } from "../../../src/core/cli/io.ts";
import { main } from "../../../src/main.ts";

const directory = mkdtempSync(join(tmpdir(), "movedex-decode-"));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs `decode` and gives its lines and exit code. At no time may a second line be offered before the first is taken. */
async function decode(...args: string[]): Promise<{ lines: Record<string, unknown>[]; exitCode: number }> {
  const lines: Record<string, unknown>[] = [];
  let writing = false;
  const stdout = async (text: string): Promise<void> => {
    expect(writing).toBe(false);
    writing = true;
    await Promise.resolve();
    lines.push(JSON.parse(text) as Record<string, unknown>);
    expect(text.indexOf("\n")).toBe(text.length - 1);
    expect(text).not.toMatch(/[\u007f-\u009f\p{Cf}\u2028\u2029]/u);
    writing = false;
  };
  const stdin = async function* (): AsyncGenerator<Uint8Array> {
    yield* piped;
  };
  const exitCode = await main(["decode", ...args], { ...processIo(), stdout, stdin });
  return { lines, exitCode };
}

/** What stdin gives. */
let piped: readonly Uint8Array[] = [];

const coin = writeModule({ version: 7, address: "0xcafe", name: "coin", functions: [{ name: "f", visibility: "public" }] });

// Its lines, and what it says of what is no module, are held in test/golden/outputs/decode.
describe("decode", () => {
  test("takes stdin in pieces, and prints one line at a time", async () => {
    const bytecode = `0x${Buffer.from(coin).toString("hex")}`;
    const answer = JSON.stringify([{ bytecode }, { bytecode, abi: null }]);
    piped = [Buffer.from(answer.slice(0, 9)), Buffer.from(answer.slice(9))];
    const { lines, exitCode } = await decode("-", file("coin.mv", coin));
    expect(exitCode).toBe(0);
    expect(lines.map(({ sha256 }) => sha256)).toEqual(Array(3).fill(sha256Hex(coin)));
  });

  test("says that a script is one", async () => {
    initSync({ module: wasmModule });
    const composer = TransactionComposer.single_signer();
    composer.store_module(coin);
    composer.add_batched_call("0xcafe::coin", "f", [], []);
    // A script payload in BCS: the code's length in a byte, the code, type arguments, arguments.
    const payload: Uint8Array = composer.generate_batched_calls(true);
    const { lines, exitCode } = await decode(file("script", payload.subarray(1, 1 + (payload[0] as number))));
    expect(exitCode).toBe(2);
    expect(lines[0]).toMatchObject({ bytecode_version: 10, error: { message: "it is a script, not a module; a script has no ABI" } });
  });
});
