/** Who a change can affect; see `audienceMeanings`. */
export const audiences = ["callers", "clients", "readers"] as const;
export type Audience = (typeof audiences)[number];

export const audienceMeanings: Readonly<Record<Audience, string>> = {
  callers: "Move modules and scripts that link against the module",
  clients: "wallets, SDKs and services that call entry and view functions through a node",
  readers: "programs that decode stored resources and events",
};

/** How harmful a change can be, the worst first; see `severityMeanings`. */
export const severities = ["breaking", "dangerous", "behaviour", "safe", "silent"] as const;
export type Severity = (typeof severities)[number];

export const severityMeanings: Readonly<Record<Severity, string>> = {
  breaking: "whatever used it no longer works",
  dangerous: "whatever used it may fail, or work differently",
  behaviour: "the interface did not change, and functions that can be called do something else",
  safe: "the interface changed without affecting its users",
  silent: "neither the interface nor what can be called changed: the bytes did, or private functions",
};

/** What a comparison can fail on, the worst first: an upgrade that the VM refuses, or a severity. */
export const failLevels = ["refused", ...severities] as const;
export type FailLevel = (typeof failLevels)[number];

/** Whether something as bad as this fails a comparison; where no level is given, nothing does. */
export function isFailure(severity: Severity, failOn: FailLevel | undefined): boolean {
  return failOn !== undefined && failLevels.indexOf(severity) <= failLevels.indexOf(failOn);
}

export type Severities = Readonly<Partial<Record<Audience, Severity>>>;

/** Order of severities: negative if `a` is worse. */
export function compareSeverities(a: Severity, b: Severity): number {
  return severities.indexOf(a) - severities.indexOf(b);
}

/** The worst severity for any of the given audiences; undefined if the change concerns none of them. */
export function worstSeverity(found: Severities, concerned: readonly Audience[] = audiences): Severity | undefined {
  return severities.find((severity) => concerned.some((audience) => found[audience] === severity));
}

export function worstOf(found: readonly Severity[]): Severity | undefined {
  return severities.find((severity) => found.includes(severity));
}

export function severityCounts(found: readonly Severity[]): Readonly<Record<Severity, number>> {
  const counts: Record<Severity, number> = { breaking: 0, dangerous: 0, behaviour: 0, safe: 0, silent: 0 };
  for (const severity of found) counts[severity] += 1;
  return counts;
}
