import { readdirSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { expect, test } from "vitest";
import { serveDatabase } from "../../capabilities/serve/support/served-archive.ts";
import { ended, listening, ManualClock, rawRequest, runCli, useNights } from "../../support/index.ts";

const at = useNights();
const KEY = "PATHKEY-abcdef";

/** A provider's gateway: the customer's key is the first part of the path. */
async function gateway(node: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((incoming, answer) => {
    const path = (incoming.url ?? "").replace(`/${KEY}/v1`, "");
    const onward = request(`${node}${path}`, { method: incoming.method, headers: incoming.headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    incoming.pipe(onward);
  });
  const { origin, ...listener } = await listening(server);
  return { ...listener, url: `${origin}/${KEY}/v1` };
}

test.each([
  ["a hash", [], /http:\/\/127\.0\.0\.1:\d+\/…[0-9a-f]{8}\/v1/],
  ["the operator's name", ["--node-name", "our provider"], /our provider/],
])("a key in the path of --rpc is stored and shown nowhere; %s stands for it", async (_, more, shown) => {
  await using provider = await gateway(at.node.url);
  const [db, targets] = [at.place.file("night.db"), at.scene.targetsFile(at.place.file("list.csv"))];
  await ended(runCli(["targets", "import", targets, "--db", db]));
  const told = ["--metrics-file", at.place.file("night.prom"), "--summary-file", at.place.file("night.json")];
  const reading = ["--rpc", provider.url, ...more, "--rate", "0", "--db", db];
  const outputs: string[] = [];
  const run = async (argv: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await runCli(argv);
    expect([0, 2], `${argv}: ${stderr}`).toContain(code);
    outputs.push(stdout, stderr);
  };
  await run(["night", ...reading, ...told, "--backup", at.place.file("copy.db"), "--report", at.place.file("report.md")]);
  at.scene.ledger.advance(10n);
  await run(["night", ...reading, ...told]);
  for (const argv of [["status"], ["status", "--json"], ["runs"], ["gaps"], ["query", "SELECT * FROM node_builds", "--json"]])
    await run([...argv, "--db", db]);
  await run(["doctor", ...reading]);
  await using served = await serveDatabase(db);
  for (const path of ["/", "/coverage", "/metrics", "/snapshots"]) outputs.push(`${(await rawRequest(`${served.origin}${path}`)).body}`);
  for (const name of readdirSync(at.place.path)) outputs.push(`${name}\n${readFileSync(at.place.file(name), "latin1")}`);
  for (const output of outputs) expect(output).not.toContain(KEY);
  expect(at.rows("night.db", "SELECT DISTINCT node FROM _head_samples")).toEqual([[expect.stringMatching(shown)]]);
  expect(outputs.join("\n")).toMatch(shown);
});

test("a key in the host name of --rpc is in no message, not in the words of a failed look-up either, whatever the node is called", async () => {
  const key = "0123456789abcdef0123456789abcdef";
  for (const more of [[], ["--node-name", "our provider"]]) {
    for (const [command, told] of [["doctor", "stdout"] as const, ["sync", "stderr"] as const]) {
      const result = await runCli([command, "--rpc", `https://${key}.invalid/v1`, ...more, "--db", at.place.file("key.db")], {
        clock: new ManualClock({ skipSleeps: true }),
      });
      expect(result.code).not.toBe(0);
      expect(result[told]).toContain(more.at(-1) ?? "https://…3eb1bd43.invalid/v1");
      expect(result.stdout + result.stderr).not.toContain(key);
    }
  }
});
