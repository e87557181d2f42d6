import { describe, expect, test } from "vitest";
import { openModuleArchive } from "../../../src/archive/read/module-archive.ts";
import { silentLog } from "../../../src/base/log.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { type AlertMessage, alertMessage } from "../../../src/questions/tell/message.ts";
import { tellAlerts } from "../../../src/questions/tell/tell-alerts.ts";
import { webhookChannel } from "../../../src/questions/tell/webhook.ts";
import { judgeWatches } from "../../../src/questions/watch/judge-watches.ts";
import { openStore, type Store } from "../../../src/work/store.ts";
import { type Behaviour, startReceiver } from "../../questions/tell/support/receiver.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { dying, Killed } from "./support/dying.ts";
import { breakingChanges, readHistory } from "./support/watched-history.ts";

describe.skipIf(frameworkHistory === undefined)("twenty watched modules of the recorded history (skipped where it is not there)", () => {
  test("each breaking change is told once, none is missed, whatever receivers do and whenever runs end", async () => {
    const history = readHistory(frameworkHistory ?? "", (all) => all);
    using place = temporaryDirectory();
    await using receiver = await startReceiver();
    const db = place.file("night.db");
    const random = seededRandom(20261122);
    const clock = new ManualClock({ skipSleeps: true });
    const tricks: readonly Behaviour[] = ["hang", "die", "take-and-die", "hang-body", { status: 500 }, { status: 307 }, { status: 429 }];
    let trickery = 0;
    receiver.behave = () => (random() < trickery ? (tricks[Math.floor(random() * tricks.length)] as Behaviour) : { status: 200 });
    let kills = 0;

    /** What `sync` and `tell` do after a seal, which may end at any call to the store or the place. */
    const judgeAndTell = async (limitMs: number, mayDie: boolean): Promise<void> => {
      let left = mayDie ? Math.floor(random() * 60) : Number.POSITIVE_INFINITY;
      const isKilledNow = (): boolean => left-- === 0;
      const archive = await openModuleArchive(db);
      const opened = await openStore(db, { mode: "write", now: clock.now });
      const store: Store = dying(opened, isKilledNow);
      const channel = webhookChannel(receiver.url, { format: "json", secret: undefined, proxies: undefined, now: clock.now, limitMs });
      try {
        await judgeWatches(archive, store, clock.now);
        await tellAlerts({ store, clock, log: silentLog, messageOf: async (alerts) => alertMessage(alerts, { chainId: 4, link: null }) }, [
          { ...channel, tell: dying(channel, isKilledNow).tell },
        ]);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        kills += 1;
      } finally {
        await opened.close();
        await archive.close();
      }
      await clock.advance(86_400_000);
    };

    const { code, stderr } = await runCli(["watch", "add", ...history.watched, "--db", db]);
    expect(code, stderr).toBe(0);
    for (const snapshot of history.snapshots) {
      await sealModules(db, [snapshot]);
      trickery = 0.6;
      for (let n = 0; n < 2; n++) await judgeAndTell(40, true);
    }
    trickery = 0;
    for (let n = 0; n < 8; n++) await judgeAndTell(60_000, false);

    const placeOf = ({ address, module, after_version, at_or_before_version }: AlertMessage): string =>
      `${address}::${module} ${after_version} ${at_or_before_version}`;
    const byId = new Map(receiver.received.map(({ headers, body }) => [String(headers["webhook-id"]), JSON.parse(body) as AlertMessage]));
    const taken = [...new Set(receiver.taken)].map((id) => placeOf(byId.get(id) as AlertMessage));
    const expected = await breakingChanges(db, history);
    expect(taken.toSorted()).toEqual(expected);
    expect(expected.length).toBeGreaterThan(40);
    expect(kills).toBeGreaterThan(history.snapshots.length / 4);
    // Each was told once under one identifier: what came again was the same delivery, cut off before.
    expect(new Set(taken).size).toBe(taken.length);
  });
});
