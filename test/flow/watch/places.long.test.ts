import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { moduleArchive } from "../../../src/archive/read/module-archive.ts";
import { silentLog } from "../../../src/base/log.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { Channel, WebhookFormat } from "../../../src/questions/tell/channel.ts";
import { linesChannel } from "../../../src/questions/tell/lines.ts";
import { type AlertMessage, alertMessage } from "../../../src/questions/tell/message.ts";
import { tellAlerts } from "../../../src/questions/tell/tell-alerts.ts";
import { webhookChannel } from "../../../src/questions/tell/webhook.ts";
import { judgeWatches } from "../../../src/questions/watch/judge-watches.ts";
import { deliveryQueries } from "../../../src/work/alerts/deliveries.ts";
import { openStore } from "../../../src/work/store.ts";
import { changesIn, type Receiver, startReceiver } from "../../questions/tell/support/receiver.ts";
import { asWords } from "../../support/command/as-words.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { test } from "../../support/test.ts";
import { dying, Killed } from "./support/dying.ts";
import { readHistory } from "./support/watched-history.ts";

/** How many releases are replayed, one a night. */
const NIGHTS = 45;

describe.skipIf(frameworkHistory === undefined)(
  "twenty watches and three places over recorded nights (skipped where the history is not there)",
  () => {
    test("each change is heard once at each place, over kills, limits of one a second, and addresses that change", async ({ place }) => {
      const history = readHistory(frameworkHistory ?? "", (all) => all.slice(-NIGHTS));
      await using chat = await startReceiver();
      await using team = await startReceiver();
      await using moved = await startReceiver();
      const [db, file] = [place.file("night.db"), place.file("alerts.jsonl")];
      const random = seededRandom(20261123);
      const clock = new ManualClock({ skipSleeps: true });

      /** One that takes one message a second, with a bucket of its own, and dies now and then, before it took a message or after. */
      let deaths = 0;
      const limit = (receiver: Receiver, bucketMax: number): void => {
        let [bucket, filledAt] = [bucketMax, clock.now()];
        receiver.behave = () => {
          const filled = Math.floor((clock.now() - filledAt) / 1000);
          [bucket, filledAt] = [Math.min(bucketMax, bucket + filled), filledAt + filled * 1000];
          if (random() < deaths) return random() < 0.5 ? "die" : "take-and-die";
          if (bucket === 0) return { status: 429, headers: { "retry-after": "1" } };
          bucket -= 1;
          return { status: 200 };
        };
      };
      limit(chat, 1);
      limit(team, 1);
      limit(moved, 1);
      const hook = (url: string, format: WebhookFormat): Channel =>
        webhookChannel(url, { format, secret: undefined, proxies: undefined, now: clock.now, limitMs: 60_000 });
      const placesOf = (night: number): Channel[] => [
        { ...hook(chat.url, "slack"), channel: "chat" },
        { ...hook(night < NIGHTS / 2 ? team.url : moved.url, "json"), channel: "team" },
        linesChannel(file),
      ];

      let kills = 0;
      const judgeAndTell = async (night: number, diesWithin: number): Promise<void> => {
        let left = Math.floor(random() * diesWithin);
        const isKilledNow = (): boolean => left-- === 0;
        const opened = await openStore(db, { mode: "write", now: clock.now });
        const engine = dying(opened.engine, isKilledNow);
        const channels = placesOf(night).map((channel) => ({ ...channel, tell: dying(channel, isKilledNow).tell }));
        try {
          await judgeWatches(moduleArchive(engine, db), clock.now);
          const messageOf = async (alerts: Parameters<typeof alertMessage>[0]) => alertMessage(alerts, { chainId: 4, link: null });
          await tellAlerts({ deliveries: deliveryQueries(engine), clock, log: silentLog, messageOf, link: null }, channels);
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          kills += 1;
        } finally {
          await opened.close();
        }
        await clock.advance(86_400_000);
      };

      const modules = history.watched.slice(0, 8);
      const subjects: readonly (readonly string[])[] = [
        [...modules, "--level", "any"],
        [...modules.map((id) => id), "--level", "dangerous", "--for", "callers"],
        ["0x1", "0x3", "0x4", "--level", "breaking"],
        ["0x1", "--level", "dangerous", "--for", "clients"],
      ];
      for (const words of subjects) {
        await ended(runCli(["watch", "add", ...words, "--db", db]));
      }
      for (const [night, snapshot] of history.snapshots.entries()) {
        await sealModules(db, [snapshot]);
        // Its old address is gone for good when the new one is named.
        if (night >= NIGHTS / 2) team.behave = () => ({ status: 410 });
        deaths = 0.1;
        for (const calls of [80, 8000]) await judgeAndTell(night, calls);
      }
      deaths = 0;
      for (let n = 0; n < 4; n++) await judgeAndTell(NIGHTS, Number.POSITIVE_INFINITY);

      const rows = await runCli(asWords`
        query ${"SELECT watch, address, module, after_version, at_or_before_version, waiting FROM alerts"} --format jsonl --max-rows 100000
        --db ${db}
      `);
      const alerts = rows.stdout
        .trimEnd()
        .split("\n")
        .map(
          (line) =>
            JSON.parse(line) as Pick<AlertMessage, "address" | "module"> & {
              watch: number;
              after_version: number;
              at_or_before_version: number;
              waiting: number;
            },
        );
      const nameOf = (change: { address: string; module: string; after_version: unknown; at_or_before_version: unknown }): string =>
        `${change.address}::${change.module} ${change.after_version} ${change.at_or_before_version}`;
      const expected = [...new Set(alerts.map(nameOf))].toSorted();
      expect(new Set(alerts.map(({ watch }) => watch)).size).toBeGreaterThan(15);
      expect(alerts.every(({ waiting }) => waiting === 0)).toBe(true);

      /** What was taken under each identifier; the same each time. */
      const taken = (receiver: Receiver): string[] => {
        const bodies = new Map(receiver.received.map(({ headers, body }) => [String(headers["webhook-id"]), body]));
        return [...new Set(receiver.taken)].map((id) => bodies.get(id) as string);
      };
      const inText = (text: string): string[] =>
        [...text.matchAll(/(0x[0-9a-f]+::\w+) (?:changed|was published|was removed) after ledger version (\d+), at or before (\d+)/g)].map(
          ([, id, after, at]) => `${id} ${after} ${at}`,
        );
      const heard = {
        chat: taken(chat).flatMap((body) => inText((JSON.parse(body) as { text: string }).text)),
        team: [...taken(team), ...taken(moved)].flatMap((body) => changesIn(body).map(nameOf)),
        file: readFileSync(file, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => nameOf(JSON.parse(line) as AlertMessage)),
      };
      for (const [name, changes] of Object.entries(heard)) expect(changes.toSorted(), name).toEqual(expected);
      // Watches overlap, kills fell, and a digest is fewer messages than changes.
      expect(alerts.length).toBeGreaterThan(expected.length * 1.3);
      expect(kills).toBeGreaterThan(NIGHTS / 3);
      expect(taken(chat).length).toBeLessThan(expected.length / 2);
      expect(taken(team).length).toBeGreaterThan(0);
      expect(taken(moved).length).toBeGreaterThan(0);
    });
  },
);
