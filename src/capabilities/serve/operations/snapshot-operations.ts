import { LEDGER_VERSION_MAX, parseU64, U64_MAX } from "../../../core/base/numbers.ts";
import { type Answer, apiError, ParameterError, plainJson } from "../http/answer.ts";
import { readLimit, readVersionNumber } from "./parameters.ts";
import type { HeldSnapshot } from "./served-archive.ts";
import type { Operation } from "./service.ts";

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1000;

/** `GET /snapshots`: sealed snapshots, newest first. `before` limits them to older ones; `next_before` is its value for the next page. */
export const listSnapshots: Operation = async ({ cache }, { query, head }) => {
  const before = readVersionNumber(query, "before") ?? U64_MAX;
  const asked = readLimit(query);
  if (asked === 0) return apiError(400, "invalid_input", "Given limit value (0) must not be zero", head);
  const limit = Math.min(asked ?? DEFAULT_PAGE, LARGEST_PAGE);
  const below = before > LEDGER_VERSION_MAX ? LEDGER_VERSION_MAX : before;
  const page = await cache.archive.listSnapshots({ below, limit: limit + 1 });
  const shown = page.slice(0, limit);
  return plainJson({
    chain_id: head?.chainId ?? null,
    snapshots: shown.map(snapshotJson),
    next_before: page.length > limit ? String(shown.at(-1)?.ledgerVersion) : null,
  });
};

/** `GET /snapshots/{ledger_version}`: one snapshot, with the accounts that it has no answer about. */
export const readSnapshot: Operation = async ({ cache }, { parts, head }): Promise<Answer> => {
  const version = parseU64(parts[0] as string);
  if (version === undefined) {
    throw new ParameterError(`failed to parse path \`ledger_version\`: failed to parse "string(U64)": \`${parts[0]}\` is not a u64`);
  }
  const snapshot = version > LEDGER_VERSION_MAX ? undefined : await cache.archive.findSnapshot(version);
  if (snapshot === undefined) {
    const message = `Ledger version not found by Ledger version(${version}): this archive has no snapshot of it`;
    return apiError(404, "version_not_found", message, head);
  }
  const gaps = await cache.archive.listGaps(version, LARGEST_PAGE);
  return plainJson({ chain_id: head?.chainId ?? null, ...snapshotJson(snapshot), missing: gaps });
};

function snapshotJson(snapshot: HeldSnapshot): Record<string, string | number | null> {
  return {
    ledger_version: snapshot.ledgerVersion.toString(),
    status: snapshot.status,
    sealed_at: new Date(snapshot.sealedAt).toISOString(),
    accounts: snapshot.accounts,
    modules: snapshot.modules,
    gaps: snapshot.gaps,
    digest: snapshot.digest,
    ledger_time: snapshot.ledgerTime === null ? null : new Date(snapshot.ledgerTime).toISOString(),
    ledger_time_error_ms: snapshot.ledgerTimeErrorMs,
  };
}
