import { expect } from "vitest";
import { createSampleLedger, ModuleCode, startSimNode, writeModule } from "../../../sim/index.ts";
import { runCli } from "../../support/run-cli.ts";

/**
 * Writes a database that has a row in every table of content: the sample ledger before and after its day and one moment in
 * between, sealed out of order, with a module newer than movedex whose ABI came from the node and one that nobody can decode.
 * Command lines before and after these nights are given the database and the node. `withRename`: a function also gets another name.
 */
export async function writeSmallArchive(
  path: string,
  {
    before: early = [],
    after: late = [],
    withRename = false,
    withCalls = true,
  }: {
    readonly before?: readonly string[][];
    readonly after?: readonly string[][];
    readonly withRename?: boolean;
    readonly withCalls?: boolean;
  } = {},
): Promise<void> {
  const sample = createSampleLedger({ withCalls });
  const { ledger } = sample;
  const [ret, nop] = [Uint8Array.of(0x02), Uint8Array.of(0x28)];
  const named = (name: string) =>
    writeModule({
      address: "0xf",
      name: "renamer",
      functions: [
        { name: "stays", code: [ret] },
        { name, code: [nop, ret] },
      ],
    });
  if (withRename) ledger.transact((writer) => writer.publish("0xf", "renamer", named("goes")));
  const before = ledger.head;
  const day = sample.passDay();
  const future = new ModuleCode(writeModule({ address: "0xf", name: "future" })).asVersion(11);
  const caller = writeModule({
    address: "0xf",
    name: "caller",
    functions: [
      { name: "called", code: [Uint8Array.of(0x02)] },
      { name: "calls", code: [Uint8Array.of(0x11, 0), Uint8Array.of(0x02)] },
      { name: "calls_both", code: [Uint8Array.of(0x11, 1), Uint8Array.of(0x11, 0), Uint8Array.of(0x02)] },
    ],
  });
  ledger.transact((writer) => {
    writer.account("0xf", { sequenceNumber: 3n });
    writer.publish("0xf", "future", future);
    writer.publish("0xf", "caller", caller);
    if (withRename) writer.publish("0xf", "renamer", named("comes"));
    writer.publish("0xf", "broken", new Uint8Array([0xa1, 0x1c, 0xeb, 0x0b, 6, 0, 0, 0, 0xff, 0xff]));
  });
  await using node = await startSimNode({ ledger, maxBytecodeVersion: 11 });
  const run = async (argv: readonly string[]) => {
    const { code, stderr } = await runCli([...argv, "--db", path]);
    expect(code, stderr).toBe(0);
  };
  const rpc = ["--rpc", node.url, "--rate", "0"];
  for (const argv of early) await run(argv);
  for (const version of [before, ledger.head, day.poolUpgraded]) {
    const accounts = [...sample.codeAccounts, sample.trader, "0xf", "0xdead"].flatMap((address) => ["-a", address]);
    await run(["sync", ...rpc, "--ledger-version", `${version}`, ...accounts]);
  }
  for (const argv of late) await run([...argv, ...rpc]);
}
