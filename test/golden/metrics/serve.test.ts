import { afterAll, describe, expect, test } from "vitest";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { openForwarder } from "../../../src/capabilities/serve/upstream/forwarder.ts";
import { askDatabase, textOf } from "../../capabilities/serve/support/served-archive.ts";
import { sampleArchive, temporaryDirectory } from "../../support/index.ts";
import { seriesIn } from "./support/series.ts";

/** What differs from process to process. */
const ofProcess = ["memory", "heap", "external"].map((kind) => `movedex_serve_${kind}_bytes`);

describe("the metrics of serve", async () => {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const { db, first, last } = await sampleArchive(kept.use(temporaryDirectory()).file("sample.db"));

  test("count the answers of each kind, what was sent, and the failures of the node behind", async () => {
    // It says which chain it is of, and breaks off every other request.
    const plan = faults.planFaults([{ fault: faults.resetBeforeHeaders(), match: ({ method }) => method === "GET" }]);
    await using node = await startSimNode({ ledger: createSampleLedger().ledger, faults: plan });
    const upstream = openForwarder({ url: node.url, connections: 1, silenceMs: 60_000 });
    await using served = await askDatabase(db, { upstream });
    let sentBytes = 0;
    const ask = async (path: string, status: number): Promise<void> => {
      const answer = await served.ask(path);
      expect(answer.status, path).toBe(status);
      sentBytes += answer.body.length;
    };
    const [older, newer] = [`?ledger_version=${first}`, `?ledger_version=${last}`];
    for (const at of [older, newer, newer, newer]) await ask(`/v1/accounts/0x1${at}`, 200);
    for (const at of [older, newer]) await ask(`/v1/accounts/0x1/modules${at}`, 200);
    await ask(`/v1/accounts/0x1/module/coin${newer}`, 200);
    await ask(`/v1/accounts/0x1/module/nothing${newer}`, 404);
    await ask("/v1/nowhere", 404);
    // The node is asked for what is not held, and left alone after two failures.
    for (const before of [1n, 2n, 3n, 4n]) await ask(`/v1/accounts/0x1?ledger_version=${last - before}`, 503);
    const text = textOf(await served.ask("/metrics"));
    const values = seriesIn(text);
    expect(values.get("movedex_serve_sent_bytes_total")).toBe(sentBytes);
    expect(values.get("movedex_serve_newest_ledger_version")).toBe(Number(last));
    for (const name of ofProcess) expect(values.get(name), name).toBeGreaterThan(1e6);
    expect(values.get("movedex_serve_memory_bytes")).toBeLessThan(1e11);
    await expect(text.replace(new RegExp(`^((?:${ofProcess.join("|")}) )\\d+$`, "gm"), "$1<of the process>")).toMatchFileSnapshot(
      "values/serve.prom",
    );
    await upstream.close();
  });

  test("count what was refused to protect the service", async () => {
    await using served = await askDatabase(db, { limits: { requestsAtOnce: 0 } });
    for (const path of ["/v1/accounts/0x1", "/v1/accounts/0x1/modules"]) expect((await served.ask(path)).status).toBe(503);
    expect(seriesIn(textOf(await served.ask("/metrics"))).get("movedex_serve_shed_total")).toBe(2);
  });
});
