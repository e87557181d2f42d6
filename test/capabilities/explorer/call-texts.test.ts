import { describe, expect, test } from "vitest";
import { readItemHistory } from "../../../src/capabilities/changes/diff/item-history.ts";
import { callTexts } from "../../../src/capabilities/explorer/item/call-texts.ts";
import { openModuleArchive } from "../../../src/core/db/archive/read/module-archive.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { printedModule } from "../../../src/core/questions/resolve-module.ts";
import { runCli } from "../../support/run-cli.ts";
import { serveSample } from "./support/sample-pages.ts";

const { sample, served } = await serveSample();
const read = served.get;

/** The names of a list under a heading. */
const listed = (page: string, title: string): string[] => {
  const from = page.indexOf(`<h2>${title} `);
  const end = page.indexOf("<h2>", from + 4);
  const part = page.slice(from, end < 0 ? undefined : end);
  return [...part.matchAll(/<li><a class="mono" href="([^"]+)"/g)].map(([, href]) => (href as string).replace(/^(\.\.\/)+/, ""));
};

describe("the page of a function", () => {
  test("lists the callers that `uses` finds", async () => {
    const { stdout } = await runCli(["uses", "0x1::coin::transfer", "--db", sample.db, "--json"]);
    const { functions } = JSON.parse(stdout) as { functions: { address: string; module: string; function: string }[] };
    const wanted = functions.map(({ address, module, function: name }) => `module/${address}/${module}/${name}`);
    const { text } = await read("/module/0x1/coin/transfer");
    expect(listed(text, "Called by").sort()).toEqual(wanted.filter((path) => path !== "module/0x1/coin/transfer").sort());
  });

  test("tells of one that is there at an older version only, and of a name that is none", async () => {
    const path = `/module/${sample.exchange}/pool/spot_price`;
    expect((await read(`${path}?at=${sample.first}`)).status).toBe(200);
    const gone = await read(path);
    expect([gone.status, gone.text.includes("has no function or struct <code>spot_price</code>")]).toEqual([404, true]);
    expect((await read(`/module/${sample.exchange}/pool/quot`)).text).toContain("quote");
  });
});

test("the page of a struct lists who takes, returns and stores it", async () => {
  const { text } = await read("/module/0x1/coin/Coin");
  const pool = `module/${sample.exchange}/pool`;
  expect(listed(text, "Stored in")).toContain(`${pool}/Pool`);
  expect(listed(text, "Taken by")).toEqual(expect.arrayContaining([`${pool}/add`, `${pool}/swap`]));
  expect(listed(text, "Returned by")).toContain(`${pool}/swap`);
});

test("the history of an item has only what changed in it, and what the rules of diff say", async () => {
  const archive = await openModuleArchive(sample.db);
  try {
    const spans = await archive.historyOf({ address: sample.exchange as Address, name: "pool" });
    expect(spans.length).toBe(2);
    const of = async (kind: "function" | "struct", name: string) =>
      (await readItemHistory(archive, spans, kind, name)).changes.map(({ kind, span }) => `${kind} ${span.from}`);
    expect(await of("function", "swap")).toEqual([`first ${spans[0]?.from}`]);
    expect(await of("function", "quote")).toEqual([`added ${spans[1]?.from}`]);
    expect(await of("function", "spot_price")).toEqual([`removed ${spans[1]?.from}`, `first ${spans[0]?.from}`]);
    expect(await of("struct", "Pool")).toEqual([`first ${spans[0]?.from}`]);
  } finally {
    await archive.close();
  }
});

test("the call ready to copy has signers left out, types of the tool, and words for those who can call it", async () => {
  const archive = await openModuleArchive(sample.db);
  try {
    const module = await archive.findModule({ address: "0x1" as Address, name: "coin" }, sample.last);
    if (module === undefined) expect.fail();
    const { abi } = printedModule(await archive.content(module));
    const fn = abi.functions.find(({ name }) => name === "transfer") ?? expect.fail();
    const texts = callTexts(module, fn, 1);
    expect(texts.map(({ tool }) => tool)).toEqual(["TypeScript SDK", "Command line", "Move"]);
    expect(texts[1]?.text).toBe(
      "aptos move run --function-id '0x1::coin::transfer' \\\n  --type-args '<T0>' \\\n  --args 'address:<address>' 'u64:<u64>'",
    );
    expect(callTexts(module, { ...fn, isEntry: false, visibility: "private" }, 1)).toEqual([]);
    expect(callTexts(module, { ...fn, isEntry: false, isView: true }, 126)[1]?.text).toMatch(/^movement move view /);
    expect(callTexts(module, { ...fn, isView: true }, 1)[2]?.text).toContain("https://api.mainnet.aptoslabs.com/v1/view");
  } finally {
    await archive.close();
  }
});
