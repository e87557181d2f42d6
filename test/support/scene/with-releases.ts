import { describe } from "vitest";
import { frameworkHistory } from "../shared-data.ts";
import type { temporaryDirectory } from "../temporary-directory.ts";
import { test } from "../test.ts";

const isMissing = frameworkHistory === undefined;
const named = (title: string): string => (isMissing ? `${title} (skipped: the recorded releases are not beside the repository)` : title);

/** Tests of the recorded releases, which are skipped by name in a checkout without them. */
export function describeReleases(title: string, run: () => void): void {
  describe.skipIf(isMissing)(named(title), run);
}

export function testReleases(title: string, run: (own: { readonly place: ReturnType<typeof temporaryDirectory> }) => unknown): void {
  test.skipIf(isMissing)(named(title), ({ place }) => run({ place }) as Promise<void>);
}
