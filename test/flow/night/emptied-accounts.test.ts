import { describe, expect, test } from "vitest";
import { faults, type PlannedFault } from "../../../sim/index.ts";
import { COUNT, ended, listings, ofAccount, runCli, useNights } from "../../support/index.ts";

const at = useNights();

const nothing = (match: PlannedFault["match"] = () => true): PlannedFault => ({
  fault: faults.emptyListing(),
  match: (request) => listings(request) && match(request),
});
const unknown = (match: PlannedFault["match"] = () => true): PlannedFault => ({
  ...nothing(match),
  fault: faults.unknownError(404, "account_not_found"),
});
/** All but the framework, as of an index that is being built. */
const others: PlannedFault["match"] = (request) => !ofAccount("0x1/")(request);
const isListing = ({ path }: { readonly path: string }): boolean => path.endsWith("/modules");
const gapsOf = (db: string) => at.rows(db, "SELECT reason, attempts, is_final FROM _all_gaps ORDER BY address_id");
/** Modules that a snapshot says are gone. */
const gone = (db: string) => at.rows(db, "SELECT count(*) FROM module_changes WHERE to_sha256 IS NULL");

describe("accounts that had modules, of which a node lists none", () => {
  test.each([
    ["an empty list", nothing(others)],
    ["that there is no such account", unknown(others)],
  ])("are gaps where it answers %s, and a node that lists them fills these", async (_, fault) => {
    await ended(at.sync(at.node, "a.db", at.scene.first));
    await using emptied = await at.nodeWith([fault]);
    const { json } = await ended(at.sync(emptied, "a.db", at.scene.second), 2);
    // The one that never had code is answered for.
    expect(json()).toMatchObject({ status: "sealed_with_gaps", accounts: 1, gaps: COUNT });
    expect(new Set(gapsOf("a.db").map(String))).toEqual(new Set(["emptied,3,0"]));
    expect(gone("a.db")).toEqual([[0]]);
    const listed = await ended(runCli(["gaps", "--db", at.place.file("a.db"), "--json"]));
    expect(listed.json()).toMatchObject({
      gaps: expect.arrayContaining([
        expect.objectContaining({
          reason: "emptied",
          state: "open",
          message: expect.stringMatching(
            /lists no module of 0x\w+ at ledger version \d+; in the snapshot before it had \d+\. .*`movedex targets remove` takes the account off the list\.$/,
          ),
        }),
      ]),
    });
    await ended(at.sync(at.node, "a.db", at.scene.second));
    expect(gapsOf("a.db")).toEqual([]);
    expect(gone("a.db")).toEqual([[0]]);
    await ended(runCli(["verify", "--db", at.place.file("a.db")]));
  });

  test("are tried as often as other gaps, and a gap at an old version keeps no later night from being sealed", async () => {
    const [address] = at.scene.addresses as [string];
    await ended(at.sync(at.node, "a.db", at.scene.first));
    const old = at.scene.second - 3n;
    await using emptied = await at.nodeWith([nothing((request) => ofAccount(address)(request) && request.target.includes(`=${old}`))]);
    await ended(at.sync(emptied, "a.db", old), 2);
    for (const version of [old + 1n, old + 2n, old + 3n]) await ended(at.sync(emptied, "a.db", version, ["--retry-gaps", "5"]));
    expect(gapsOf("a.db")).toEqual([["emptied", 6, 0]]);
  });

  test("are gaps also where a person accepts a history that cannot be compared", async () => {
    await ended(at.sync(at.node, "a.db", at.scene.first));
    await using emptied = await at.nodeWith([nothing(others)]);
    await ended(at.sync(emptied, "a.db", at.scene.second, ["--accept-new-history"]), 2);
    expect(gone("a.db")).toEqual([[0]]);
  });
});

describe("a node that lists no module at all", () => {
  const answers: [string, PlannedFault][] = [
    ["an empty list", nothing()],
    ["that there is no such account", unknown()],
  ];

  test.each(answers)("is asked for the framework, once, where it answers %s, and the night is not sealed", async (_, fault) => {
    await using emptied = await at.nodeWith([fault]);
    for (const version of [at.scene.first, at.scene.second]) {
      const before = emptied.requests.length;
      const { stderr } = await ended(at.sync(emptied, "a.db", version), 1);
      expect(stderr).toMatch(
        / lists no module at ledger version \d+, not even of 0x1: its index is missing or not built\. .* another node\.$/m,
      );
      const asked = emptied.requests.slice(before).filter(({ path }) => path.endsWith("/0x1/modules"));
      expect(asked.map(({ query }) => query)).toEqual([expect.stringContaining("limit=1")]);
      expect(at.rows("a.db", `SELECT status FROM _all_snapshots WHERE ledger_version = ${version}`)).toEqual([["unsealed"]]);
      expect(gapsOf("a.db")).toEqual([]);
      await ended(at.sync(at.node, "a.db", version));
    }
    expect(gone("a.db")).toEqual([[0]]);
  });

  test.each([
    ["accounts of a first night where it listed modules of others before", 6, []],
    ["the rest of an account where it listed some of its modules before", 7, ["--page-size", "2"]],
  ])("is not believed of %s", async (_, from, words) => {
    await ended(at.sync(at.node, "whole.db", at.scene.first));
    await using gone = await at.nodeWith([{ ...nothing(), at: Array.from({ length: 100 }, (_, i) => i + from) }]);
    await ended(at.sync(gone, "a.db", at.scene.first, ["--concurrency", "1", ...words]), 1);
    await ended(at.sync(at.node, "a.db", at.scene.first));
    const modules = "SELECT count(*), count(DISTINCT address) FROM modules_at";
    expect(at.rows("a.db", modules)).toEqual(at.rows("whole.db", modules));
  });

  test("is not believed because of what it listed before the account was asked for", async () => {
    const [first, second, third] = at.scene.addresses.slice(0, COUNT).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    let answerRecord = (): void => {};
    // The record of the first comes once the third is asked for, so that the second has had its answer.
    const held: PlannedFault = {
      fault: {
        name: "held",
        deliver: ({ send }) => {
          answerRecord = send;
        },
      },
      match: ofAccount(`${first}?`),
    };
    const go: PlannedFault = {
      fault: faults.meanwhile("the record comes", () => answerRecord()),
      match: ofAccount(`${third}/modules`),
      times: 1,
    };
    let isAsked = false;
    const isAfterFirst: PlannedFault["match"] = (request) => {
      const wasAsked = isAsked;
      isAsked ||= ofAccount(`${first}/`)(request);
      return wasAsked;
    };
    await using gone = await at.nodeWith([held, go, nothing(isAfterFirst)]);
    const accounts = [first, second, third].flatMap((account) => ["--account", `${account}`]);
    await ended(at.sync(gone, "a.db", at.scene.first, [...accounts, "--concurrency", "2"]), 1);
    expect(at.rows("a.db", "SELECT state, count(*) FROM _visits GROUP BY state")).toEqual([
      ["planned", 2],
      ["visited", 1],
    ]);
  });

  test("is believed of accounts without modules where it lists those of the framework, by one request for all", async () => {
    const accounts = ["0xdead", "0xbeef", "0xf00d", "0xfade", "0xcab", "0xdab"].flatMap((account) => ["--account", account]);
    const { json } = await ended(at.sync(at.node, "a.db", at.scene.first, [...accounts, "--concurrency", "1"]));
    expect(json()).toMatchObject({ status: "sealed", accounts: 6, modules: 0, gaps: 0 });
    expect(at.node.requests.filter(isListing)).toHaveLength(7);
  });
});
