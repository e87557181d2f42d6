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

const coin = writeModule({
  version: 7,
  address: "0xcafe",
  name: "coin",
  functions: [{ name: "hidden" }, { name: "f", visibility: "public" }],
});

describe("decode", () => {
  test("prints one line for each file, in the order given, and ends well", async () => {
    const [first, second] = [file("coin.mv", coin), file("other.mv", writeModule({ version: 5, address: "0x1", name: "other" }))];
    const { lines, exitCode } = await decode(second, first, second);
    expect(exitCode).toBe(0);
    expect(lines.map(({ file }) => file)).toEqual([second, first, second]);
    expect(Object.keys(lines[1] ?? {})).toEqual(["file", "sha256", "bytecode_version", "abi"]);
    expect(lines[1]).toMatchObject({
      sha256: sha256Hex(coin),
      bytecode_version: 7,
      abi: { address: "0xcafe", exposed_functions: [{ name: "f" }] },
    });
  });

  test("prints an error for what is no module, goes on, and ends with 2", async () => {
    const newer = writeModule({ version: 11, address: "0x1", name: "newer" });
    const paths = [
      file("text.mv", Buffer.from("hello")),
      file("cut.mv", coin.subarray(0, 40)),
      file("newer.mv", newer),
      file("coin.mv", coin),
    ];
    const { lines, exitCode } = await decode(...paths);
    expect(exitCode).toBe(2);
    expect(lines[0]).toEqual({
      file: paths[0],
      sha256: sha256Hex("hello"),
      error: {
        code: "MOVEDEX_DECODE_MALFORMED",
        offset: 0,
        message: expect.stringContaining("neither bytecode nor hex, base64") as string,
      },
    });
    expect(lines[1]).toMatchObject({ bytecode_version: 7, error: { code: "MOVEDEX_DECODE_MALFORMED" } });
    expect(lines[2]).toMatchObject({ bytecode_version: 11, error: { code: "MOVEDEX_DECODE_UNSUPPORTED_VERSION", offset: 4 } });
    expect(lines[3]).toHaveProperty("abi");
  });

  test("reads hex, base64 and a node's JSON, of one module or of an account, from files and from stdin", async () => {
    const other = writeModule({ version: 6, address: "0x1", name: "other" });
    const hex = Buffer.from(coin).toString("hex");
    const [base64, urlSafe] = [Buffer.from(coin).toString("base64"), Buffer.from(coin).toString("base64url")];
    const answer = JSON.stringify([{ bytecode: `0x${hex}` }, { bytecode: `0x${Buffer.from(other).toString("hex")}`, abi: null }]);
    piped = [Buffer.from(answer.slice(0, 9)), Buffer.from(answer.slice(9))];
    const files = [
      `0x${hex}\n`,
      `${hex.slice(0, 60)}\n${hex.slice(60)}`,
      base64,
      urlSafe,
      `"0x${hex}"\n`,
      JSON.stringify({ bytecode: `0x${hex}`, abi: {} }),
    ];
    const { lines, exitCode } = await decode(...files.map((text, at) => file(`text-${at}`, Buffer.from(text))), "-");
    expect(exitCode).toBe(0);
    expect(lines.map(({ sha256 }) => sha256)).toEqual([...files.map(() => sha256Hex(coin)), sha256Hex(coin), sha256Hex(other)]);
    expect(lines.at(-1)).toMatchObject({ file: "-", abi: { name: "other" } });
  });

  test("decodes the others of a list with an entry that has no bytecode, and names that", async () => {
    const hex = Buffer.from(coin).toString("hex");
    const answer = JSON.stringify([{ bytecode: `0x${hex}` }, { abi: null }, "0x", { bytecode: `0x${hex}` }]);
    const { lines, exitCode } = await decode(file("partly", Buffer.from(answer)));
    expect(exitCode).toBe(2);
    expect(lines.map(({ error }) => error === undefined)).toEqual([true, false, false, true]);
    expect(lines[1]).toMatchObject({ error: { message: expect.stringContaining("neither bytecode nor hex") } });
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

  test("prints an error for what cannot be read", async () => {
    const { lines, exitCode } = await decode(join(directory, "nothing.mv"), directory, "/dev/null");
    expect(exitCode).toBe(2);
    expect(lines.map(({ sha256 }) => sha256)).toEqual([null, null, null]);
    expect(lines.map(({ error }) => error)).toEqual([
      { code: "MOVEDEX_FILE_UNREADABLE", offset: null, message: `no such file: ${join(directory, "nothing.mv")}` },
      { code: "MOVEDEX_FILE_UNREADABLE", offset: null, message: "it is a directory; name the files in it" },
      { code: "MOVEDEX_FILE_UNREADABLE", offset: null, message: "it is not a regular file" },
    ]);
  });
});
