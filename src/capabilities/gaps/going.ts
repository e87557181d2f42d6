import { grouped, listFirst, plural } from "../../core/base/plural.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { storedForecasts } from "../horizon/horizon-forecast.ts";
import { endangeredQueries } from "./endangered.ts";

const DAY_MS = 86_400_000;
const [ACCOUNTS_MAX, NAMES_MAX] = [500, 5];

export type Going = NonNullable<Awaited<ReturnType<typeof readGoing>>>;

/** What the node that was asked last prunes within a day, and what is not held of it; undefined where its horizon is not known to rise. */
export async function readGoing(engine: Engine, nowMs: number) {
  const [forecast] = await storedForecasts(engine, nowMs);
  const atMs = nowMs + DAY_MS;
  const below = forecast?.prunedBy(atMs)?.expected;
  if (forecast === undefined || below === undefined || below <= forecast.oldest) return undefined;
  const stretch = { from: forecast.oldest, below };
  const endangered = endangeredQueries(engine);
  return {
    atMs,
    /** The first version that is still readable then, and now. */
    ...stretch,
    node: forecast.node,
    accounts: await endangered.unheldAccounts(stretch, ACCOUNTS_MAX),
    versions: await endangered.unreadVersions(stretch),
    changes: await endangered.untracedChanges(stretch),
  };
}

/** `versions below 14,500,000 are gone by 2026-02-20T00:00Z`. */
export function horizonSentence({ below, atMs }: Pick<Going, "below" | "atMs">): string {
  return `versions below ${grouped(below)} are gone by ${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

/** What is not held of that, a clause each; empty where all of it is held. */
export function unheldClauses({ accounts, versions, changes }: Going): string[] {
  const named = accounts.map(
    ({ address, lastHeld }) => `${address} (${lastHeld === null ? "never read" : `last held at ${grouped(lastHeld)}`})`,
  );
  return [
    ...(named.length === 0 ? [] : [`${plural(named.length, "account")}: ${listFirst(named, NAMES_MAX)}`]),
    ...(versions.length === 0
      ? []
      : [
          `${plural(versions.length, "snapshot")} not read to its end: ${listFirst(
            versions.map((version) => grouped(version)),
            NAMES_MAX,
          )}`,
        ]),
    ...(changes === 0 ? [] : [`the exact ${changes === 1 ? "version of 1 change" : `versions of ${grouped(changes)} changes`}`]),
  ];
}
