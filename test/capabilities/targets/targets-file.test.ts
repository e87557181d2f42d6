import { describe, expect, test } from "vitest";
import { type LabelledAccount, walkTargetsFile } from "../../../src/capabilities/targets/file/targets-file.ts";
import { ConfigError } from "../../../src/core/errors.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** In chunks of a few bytes, so that every kind of thing is cut somewhere. */
const walk = (bytes: Uint8Array, name: string): Promise<LabelledAccount[]> =>
  Array.fromAsync(walkTargetsFile(chunked(bytes, bytes.length > 10_000 ? 4096 : 7), name));
async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
const addresses = async (text: string): Promise<string[]> => (await walk(bytesOf(text), "list.csv")).map(({ address }) => address);
const labelled = async (text: string): Promise<string[]> =>
  (await walk(bytesOf(text), "list")).map(({ address, label }) => `${address} ${label}`);
const complaint = async (bytes: Uint8Array): Promise<string> => {
  const error = await walk(bytes, "list").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
};

describe("walkTargetsFile, lines and CSV", () => {
  test("takes one address a line, in order, and as often as it is there", async () => {
    expect(await addresses("0x2\n0x1\n0x0000000000000002")).toEqual(["0x2", "0x1", "0x2"]);
  });

  test.each(["", '{"address": "0x1"}\n'])(
    "gives the first accounts before the last line is there, and reads no more than it is asked for: %s",
    async (json) => {
      const line = new TextEncoder().encode(json === "" ? "0x1\n" : json);
      const [lines, chunks] = [1000, 500];
      let read = 0;
      let isClosed = false;
      const endless = async function* () {
        try {
          for (; read < chunks; read++) yield Buffer.concat(Array.from({ length: lines }, () => line));
        } finally {
          isClosed = true;
        }
      };
      let taken = 0;
      for await (const { address } of walkTargetsFile(endless(), "list")) {
        expect(address).toBe("0x1");
        if (++taken === 3 * lines) break;
      }
      expect(read).toBeLessThan(chunks / 10);
      expect(isClosed).toBe(true);
    },
  );

  test("refuses a list without an end after so many rows", async () => {
    const lines = new TextEncoder().encode("0x1\n".repeat(1_000));
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield lines;
    }
    let rows = 0;
    const reading = async (): Promise<void> => {
      for await (const _ of walkTargetsFile(endless(), "stdin", 2_500)) rows += 1;
    };
    await expect(reading()).rejects.toThrow("stdin: it has more than 2500 rows: give it as several lists. No address was added.");
    expect(rows).toBe(2_500);
  });

  test("refuses a line without an end", async () => {
    const long = new Uint8Array(2_000_000).fill(0x31);
    expect(await complaint(long)).toMatch(/^list: a record at line 1 has more than 1048576 characters/);
    expect(await complaint(Buffer.concat([Buffer.from('"'), Buffer.alloc(2_000_000, "a\n")]))).toMatch(
      /^list: a record at line \d+ has more than 1048576 characters/,
    );
    expect(await complaint(Buffer.concat([Buffer.from('{"a": "'), long]))).toMatch(
      /^list: a record at line 1 has more than 1048576 characters/,
    );
  });

  test("passes over blank lines, comments, a byte order mark and every kind of line end", async () => {
    expect(await addresses("\ufeff# mine\r\n\r\n0xa\r0xb\n  # more\n")).toEqual(["0xa", "0xb"]);
    expect(await addresses("0xa\r".repeat(400_000))).toHaveLength(400_000);
  });

  test("takes the first column of a CSV with a header and quotes", async () => {
    expect(await addresses('address,label\n"0xAB",pool, of gold\n0xcd;x\n')).toEqual(["0xab", "0xcd"]);
  });

  test("takes the labels from the column that is called so, whatever stands in the others", async () => {
    const text = 'Label;modules;Owner\n"a; ""pool""\nof gold";3;0xab\n;0;0xcd\n';
    expect(await labelled(text)).toEqual([String.raw`0xab a; "pool"\u{a}of gold`, "0xcd null"]);
    expect(await labelled("name,owner\npool,0xab\n")).toEqual(["0xab null"]);
  });

  test("refuses a header that names no address, as a bad line", async () => {
    expect(await complaint(bytesOf("publisher,label\n0xab,pool\n"))).toMatch(/^list, line 1: `publisher` is not/);
  });

  test("finds a usual column that is not the first", async () => {
    expect(await addresses("modules,account_address\n3,0x5\n")).toEqual(["0x5"]);
  });

  test("refuses a bad line whole, by number, without printing controls raw", async () => {
    expect(await complaint(bytesOf("0x1\n\n0xzz\u001b[31m\n"))).toMatch(/^list, line 3: `0xzz\\u\{1b\}\[31m` is not/);
    expect(await complaint(bytesOf("address,n\n0x1,1\n,2\n"))).toMatch(/line 3: `` is not/);
    expect(await complaint(bytesOf('a\n"0x1\n'))).toMatch(/^list/);
  });

  test("takes no shorter word without 0x for an address, though it be of hex digits", async () => {
    expect(await complaint(bytesOf("address\n0x1\nbad\n"))).toMatch(/^list, line 3: `bad` is not an account address \(0x and/);
    expect(await complaint(bytesOf("0x1\n1\n"))).toMatch(/^list, line 2: `1` is not/);
    expect(await complaint(bytesOf('{"address": "cafe"}\n'))).toMatch(/^list, line 1: `cafe` is not/);
    expect(await addresses(`${"0".repeat(62)}ab\n0xbad\n`)).toEqual(["0xab", "0xbad"]);
  });

  test("takes a header once only, and before any address", async () => {
    expect(await complaint(bytesOf("0x1\naddress\n"))).toMatch(/line 2/);
  });

  test("an empty file gives nothing", async () => {
    expect(await addresses("")).toEqual([]);
  });
});

describe("walkTargetsFile, JSON lines", () => {
  test("takes the usual key, else the first, and labels", async () => {
    const text = '{"n": 1, "owner": "0x1", "to": "0x9", "label": "coin"}\n\n{"label": 7, "owner": "0x02", "to": "0xa"}\n{"by": "0x3"}\n';
    expect(await labelled(text)).toEqual(["0x1 coin", "0x2 null", "0x3 null"]);
  });

  test("says which line is wrong, and how", async () => {
    expect(await complaint(bytesOf('{"a": "0x1"}\n{"a": 7}\n'))).toMatch(/^list, line 2: `7` is not/);
    expect(await complaint(bytesOf('{"a": "0x1"}\n{}\n'))).toMatch(/^list, line 2: `nothing` is not/);
    expect(await complaint(bytesOf('{"a": "0x1"}\n[1]\n'))).toMatch(/^list: line 2: wanted a JSON object/);
    expect(await complaint(bytesOf('{"a": "0x1"}\n{"a"\n'))).toMatch(/^list: line 2: it began as JSON lines/);
  });
});

describe("walkTargetsFile, other files", () => {
  test("reads a JSON array of addresses or objects, and names the entry that is wrong", async () => {
    expect(await labelled('\ufeff [\n"0x2", {"account": "0x1", "label": "one"}]')).toEqual(["0x2 null", "0x1 one"]);
    expect(await complaint(bytesOf('["0x1", 5]'))).toMatch(/^list, entry 2: `5` is not an account address/);
    expect(await complaint(bytesOf('{"accounts":["0x1"]}'))).toBe(
      'list, line 1: `["0x1"]` was found in place of an address. ' +
        "Give a JSON array of addresses or of objects, or an object a line. No address was added.",
    );
    expect(await complaint(bytesOf('["0x1", '))).toBe("list: it began as a JSON array, and this is not JSON. No address was added.");
    expect(await complaint(bytesOf(`${"[".repeat(50)}`))).toMatch(/too deep/);
  });

  test("says of Parquet what a list is instead", async () => {
    expect(await complaint(bytesOf("PAR1\u0015\u0004\u0015"))).toMatch(
      /^list: it is a Parquet file, and a list is CSV, JSON or text: save it as CSV/,
    );
  });
});
