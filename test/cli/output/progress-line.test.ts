import { describe, expect, test } from "vitest";
import { jsonLog } from "../../../src/core/base/log.ts";
import type { ProcessIo } from "../../../src/core/cli/io.ts";
import { withStatusLine } from "../../../src/core/cli/io.ts";
import { snapshotProgressLine } from "../../../src/core/cli/output/progress-line.ts";
import type { SnapshotProgress } from "../../../src/core/crawl/night/progress.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const progress: SnapshotProgress = {
  ledgerVersion: 5_000n,
  planned: 200,
  done: 50,
  missed: 0,
  doneNow: 50,
  modules: 400,
  requests: 101,
  retries: 1,
  bytesReceived: 4096,
  perSecond: 4.94,
  limitPerSecond: 5,
  pausedMs: 0,
  elapsedMs: 20_000,
  aboveHorizon: 89_800_000n,
};

function io(isTerminal: boolean, columns = 60) {
  const clock = new ManualClock();
  const written: string[] = [];
  const process: ProcessIo = {
    stdin: async function* () {},
    stdout: async () => {},
    isReaderGone: () => false,
    stderr: (text) => void written.push(text),
    env: {},
    host: "here",
    clock,
    stderrIsTerminal: isTerminal,
    isOnePlace: isTerminal,
    stdoutIsTerminal: isTerminal,
    columns,
    onStopSignal: () => () => {},
  };
  return { clock, written, value: withStatusLine(process) };
}

describe("snapshotProgressLine", () => {
  test("rewrites one line on a terminal, no wider than it, and wipes it at the end", async () => {
    const { clock, written, value } = io(true);
    const report = snapshotProgressLine(value, () => {});
    report.show(progress);
    report.show(progress);
    await clock.advance(250);
    report.show(progress);
    report.end();
    expect(written).toHaveLength(3);
    expect(written[0]).toContain("\r\u001b[2K50/200 accounts");
    expect((written[0] as string).length).toBeLessThanOrEqual(60 + "\r\u001b[2K".length);
    expect(written[2]).toBe("\r\u001b[2K");
  });

  test("says what share is answered for, pace and limit, the time left, and how far the horizon is", () => {
    const { written, value } = io(true, 200);
    snapshotProgressLine(value, () => {}).show({ ...progress, missed: 10 });
    const words = "(30 %) · 10 gaps · 4.9 req/s, limit 5.0/s · 1 retry · ETA 56 s · 89,800,000 versions above the horizon";
    expect(written[0]).toBe(`\r\u001b[2K50/200 accounts ${words}`);
  });

  test("elsewhere logs one JSON line per 30 seconds", async () => {
    const { clock, written, value } = io(false);
    const report = snapshotProgressLine(
      value,
      jsonLog(value.stderr, () => 0),
    );
    for (let second = 0; second < 65; second++) {
      report.show(progress);
      await clock.advance(1_000);
    }
    report.end();
    expect(written).toHaveLength(2);
    expect(JSON.parse(written[0] as string)).toMatchObject({
      level: "info",
      ledger_version: "5000",
      accounts_done: 50,
      above_horizon: "89800000",
    });
  });
});
