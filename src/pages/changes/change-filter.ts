import type { ChangeSummary } from "../../abi/compare/finding.ts";
import { type Audience, audiences, compareSeverities, type Severity, severities } from "../../abi/compare/severity.ts";
import type { ModuleChange } from "../../archive/read/changes.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import type { PageCall } from "../page.ts";
import { readAddress, readChoice } from "../subject.ts";

export type ChangeFilter = {
  readonly account: Address | undefined;
  /** A module's name or a part of it. */
  readonly module: string | undefined;
  /** Changes at this level or worse. */
  readonly severity: Severity | undefined;
  /** The audience; all of them when it is undefined. */
  readonly audience: Audience | undefined;
  /** Alone what is an alert of something watched. */
  readonly isWatched: boolean;
};

/** The filter in a query string. @throws ConfigError for an account, a severity or an audience that is none */
export function readFilter({ query }: Pick<PageCall, "query">): ChangeFilter {
  const account = query("account");
  return {
    account: account === undefined ? undefined : (parseAddress(account) ?? readAddress(account)),
    module: query("module"),
    severity: readChoice(query, "severity", severities),
    audience: readChoice(query, "audience", audiences),
    isWatched: query("watched") === "1",
  };
}

export function matchesName({ address, module }: ModuleChange, filter: ChangeFilter): boolean {
  return (filter.account === undefined || address === filter.account) && (filter.module === undefined || module.includes(filter.module));
}

/** Whether a change is as bad as is wanted, for whom it is wanted. What could not be compared is heard by all: it may be the worst. */
export function matchesSeverity({ worst, forAudience, reason }: ChangeSummary, { severity, audience }: ChangeFilter): boolean {
  if (reason !== undefined || worst === undefined) return true;
  const level = audience === undefined ? worst : forAudience[audience];
  return level !== undefined && (severity === undefined || compareSeverities(level, severity) <= 0);
}
