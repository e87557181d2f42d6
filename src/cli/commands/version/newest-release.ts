import type { Io } from "../../io.ts";

/** Where releases lie; packaging/install.sh reads the same variable. */
const RELEASES = "https://github.com/movedex/movedex/releases";
const TIMEOUT_MS = 10_000;

/** The version of the newest release, or why it is not known. The address of the newest release leads to one with its version. */
export async function findNewestRelease({ env }: Pick<Io, "env">): Promise<{ readonly version: string } | { readonly unknown: string }> {
  const releases = env["MOVEDEX_RELEASES"] || RELEASES;
  try {
    const answer = await fetch(`${releases}/latest`, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const version = /\/tag\/v(\d+\.\d+\.\d+)$/.exec(answer.headers.get("location") ?? "")?.[1];
    return version === undefined ? { unknown: `it answered ${answer.status} and named no release` } : { version };
  } catch (error) {
    const { cause, message } = error as Error;
    return { unknown: cause instanceof Error ? cause.message : message };
  }
}

export function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = one.findIndex((number, i) => number !== other[i]);
  return at >= 0 && (one[at] as number) > (other[at] ?? 0);
}
