import { describe, expect, test } from "vitest";
import { faults, ModuleCode, SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { serveDatabase } from "../../capabilities/serve/support/served-archive.ts";
import { changeFile, ended, listings, ManualClock, rawRequest, runCli, useNights } from "../../support/index.ts";
import { makeAllViews } from "../../support/store/few-views.ts";

const at = useNights();

/** A ledger with one account of these modules, read as a whole. */
function ledgerOf(
  publish: (writer: { publish: (address: string, name: string, code: ModuleCode | Uint8Array) => void }) => void,
): SimLedger {
  const ledger = new SimLedger();
  ledger.genesis(publish);
  ledger.advanceTo(1000n);
  return ledger;
}

const code = (address: string, name: string): ModuleCode => new ModuleCode(writeModule({ address, name }));

const newer = ({ target }: { readonly target: string }): boolean => target.includes("/module/newer");

/** Nobody could have published this: bytes of a module, and two million more. */
const oversized = (): ModuleCode =>
  new ModuleCode(Buffer.concat([writeModule({ address: "0xcafe", name: "wide" }), Buffer.alloc(2_000_000)]));

describe("modules that cannot be decoded", () => {
  test.each(["abi", "database"] as const)(
    "bytes that cannot be decoded are kept if the node fails to give their ABI (%s)",
    async (kind) => {
      const ledger = ledgerOf((writer) => {
        writer.publish("0xcafe", "known", code("0xcafe", "known"));
        writer.publish("0xcafe", "newer", code("0xcafe", "newer").asVersion(11));
      });
      const plan = faults.planFaults([{ fault: faults.storageFailure(kind), match: newer }]);
      await using node = await startSimNode({ ledger, faults: plan });
      const result = await ended(at.sync(node, "night.db", undefined, ["--account", "0xcafe"]));
      expect(result.json()).toMatchObject({ status: "sealed", modules: 2, new_bytecodes: 2, gaps: 0 });
      expect(at.rows("night.db", "SELECT bytecode_version, abi_id IS NULL, error_code FROM _bytecodes ORDER BY 1")).toEqual([
        [7, 0, null],
        [11, 1, "MOVEDEX_DECODE_UNSUPPORTED_VERSION"],
      ]);
      expect(plan.unmet()).toEqual([]);
    },
  );

  test("an ABI that belongs to other bytes than those listed is not taken", async () => {
    const ledger = ledgerOf((writer) => writer.publish("0xcafe", "newer", code("0xcafe", "newer").asVersion(11)));
    const other = ledgerOf((writer) => writer.publish("0xcafe", "newer", code("0xcafe", "newer")));
    await using node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.otherStorage(other), match: newer }]) });
    await ended(at.sync(node, "night.db", undefined, ["--account", "0xcafe"]));
    expect(at.rows("night.db", "SELECT abi_id IS NULL FROM _bytecodes")).toEqual([[1]]);
  });

  test("their bytes are stored before their ABI is asked for, and they stand in the night's line", async () => {
    const ledger = ledgerOf((writer) => {
      writer.publish("0xcafe", "known", code("0xcafe", "known"));
      writer.publish("0xcafe", "newer", code("0xcafe", "newer").asVersion(11));
    });
    const seen: unknown[] = [];
    const look: typeof newer = (request) => {
      if (!newer(request)) return false;
      seen.push(at.rows("night.db", "SELECT bytecode_version FROM _bytecodes ORDER BY 1"));
      return false;
    };
    await using node = await startSimNode({
      ledger,
      maxBytecodeVersion: 11,
      faults: faults.planFaults([{ fault: faults.silence(), match: look }]),
    });
    const db = at.place.file("night.db");
    await ended(runCli(["targets", "add", "0xcafe", "--db", db]));
    const night = ["night", "--rpc", node.url, "--db", db, "--rate", "0"];
    const line = await ended(runCli(night));
    expect(line.stdout).not.toContain("not decodable");
    expect(seen[0]).toEqual([[7], [11]]);
    ledger.transact((writer) => writer.publish("0xcafe", "another", code("0xcafe", "another").asVersion(12)));
    await using poorer = await startSimNode({ ledger, maxBytecodeVersion: 10 });
    const next = await runCli(["night", "--rpc", poorer.url, "--db", db, "--rate", "0", "--json"]);
    expect(next.json()).toMatchObject({ steps: [{ name: "sync", modules_undecoded: 1 }, {}, {}, {}, {}] });
    ledger.transact((writer) => writer.publish("0xcafe", "known", code("0xcafe", "known")));
    expect((await runCli(["sync", "--rpc", poorer.url, "--db", db, "--rate", "0"])).stdout).toContain(
      "1 module cannot be decoded by this movedex; the bytes are kept",
    );
  });

  test("a node that gives no ABI is not asked for one module after the other", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const ledger = ledgerOf((writer) => {
      for (const name of names) writer.publish("0xcafe", name, code("0xcafe", name).asVersion(11));
    });
    const asked = new Set<string>();
    const match = ({ target }: { readonly target: string }): boolean => {
      const [, name] = /\/module\/(\w+)/.exec(target) ?? [];
      if (name !== undefined) asked.add(name);
      return name !== undefined;
    };
    await using node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.storageFailure("abi"), match }]) });
    await ended(at.sync(node, "night.db", undefined, ["--account", "0xcafe"]));
    expect(asked.size).toBe(2);
    expect(at.rows("night.db", "SELECT count(*), count(derived_by) FROM _bytecodes")).toEqual([[5, 5]]);
  });
});

describe("modules that cannot be what the node called them", () => {
  test.each([
    ["of another module", "0xcafe", "bcs"],
    ["of another account", "0x66", "coin"],
  ])("bytes %s than listed: a finding, exit 2; all is kept as the node gave it", async (_, address, name) => {
    const ledger = ledgerOf((writer) => {
      writer.publish("0xcafe", "coin", code(address, name));
      writer.publish("0xcafe", "honest", code("0xcafe", "honest"));
      writer.publish("0xbeef", "coin", code("0xbeef", "coin"));
    });
    await using node = await startSimNode({ ledger });
    const result = await ended(at.sync(node, "night.db", undefined, ["--account", "0xcafe", "--account", "0xbeef"]), 2);
    expect(result.json()).toMatchObject({ status: "sealed", accounts: 2, gaps: 0, modules_doubtful: 1 });
    expect(result.stderr).toContain(`gave the bytes of ${address}::${name} as 0xcafe::coin`);
    expect(at.rows("night.db", "SELECT address, module FROM modules_latest ORDER BY 1, 2")).toEqual([
      ["0xbeef", "coin"],
      ["0xcafe", "coin"],
      ["0xcafe", "honest"],
    ]);
    expect(at.rows("night.db", "SELECT kind, subject, stored, found, origin FROM findings")).toEqual([
      ["module_name", "0xcafe::coin", "0xcafe::coin", `${address}::${name}`, node.url],
    ]);
    await ended(runCli(["verify", "--db", at.place.file("night.db")]));
    const db = at.place.file("night.db");
    ledger.advance(10n);
    await ended(runCli(["targets", "add", "0xcafe", "--db", db]));
    const clock = new ManualClock({ skipSleeps: true });
    const line = await runCli(["night", "--rpc", node.url, "--db", db, "--rate", "0"], { clock });
    expect(line.stdout).toContain("1 module doubtful");
  });

  test("wrong bytes from one of two nodes are a finding, and the account is sealed with the right ones", async () => {
    const ledger = ledgerOf((writer) => writer.publish("0xcafe", "coin", code("0xcafe", "coin")));
    const stale = ledgerOf((writer) => writer.publish("0xcafe", "coin", code("0xcafe", "bcs")));
    await using node = await startSimNode({
      ledger,
      faults: faults.planFaults([{ fault: faults.otherStorage(stale), match: listings, at: 1 }]),
    });
    await ended(at.sync(node, "night.db", undefined, ["--account", "0xcafe"]));
    expect(at.rows("night.db", "SELECT subject, found FROM findings")).toEqual([["0xcafe::coin", "0xcafe::bcs"]]);
    expect(at.rows("night.db", "SELECT address, module FROM modules_latest")).toEqual([["0xcafe", "coin"]]);
  });

  test("a module above what any chain stores: a finding, exit 2; serve refuses it without unpacking, and answers for the others", async () => {
    const ledger = ledgerOf((writer) => {
      writer.publish("0xcafe", "wide", oversized());
      writer.publish("0xcafe", "coin", code("0xcafe", "coin"));
    });
    await using node = await startSimNode({ ledger });
    const result = await ended(at.sync(node, "night.db", undefined, ["--account", "0xcafe"]), 2);
    expect(result.json()).toMatchObject({ status: "sealed", modules: 2, modules_doubtful: 1, modules_undecoded: 1 });
    const size = oversized().bytes.length;
    expect(result.stderr).toContain(`gave ${size} bytes (a chain stores at most 1048576 bytes) as 0xcafe::wide`);
    expect(at.rows("night.db", "SELECT kind, subject, found FROM findings")).toEqual([["module_size", "0xcafe::wide", `${size} bytes`]]);
    const db = at.place.file("night.db");
    makeAllViews(db);
    await ended(runCli(["verify", "--db", db]));
    // What it does not unpack it does not look at: with other bytes in their place the answer is the same.
    changeFile(db, "UPDATE _bytecode_blobs SET code = zeroblob(9) WHERE id = (SELECT id FROM _bytecodes WHERE size > 1048576)");
    await using served = await serveDatabase(db);
    for (const [path, status] of [
      ["module/wide", 500],
      ["modules", 500],
      ["module/coin", 200],
    ] as const) {
      for (const accept of ["application/json", "application/x-bcs"]) {
        const answer = await rawRequest(`${served.url}/accounts/0xcafe/${path}`, { headers: { accept } });
        expect([answer.status, path]).toEqual([status, path]);
        if (status === 500) expect(`${answer.body}`).toContain(`has ${size} bytes, which no chain stores`);
      }
    }
  });
});
