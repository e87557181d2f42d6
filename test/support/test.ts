import { test as base } from "vitest";
import { temporaryDirectory } from "./temporary-directory.ts";

/** A test that may ask for `place`, a directory of its own. */
export const test = base.extend<{ place: ReturnType<typeof temporaryDirectory> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which other fixtures this one needs
  place: async ({}, use) => {
    using place = temporaryDirectory();
    await use(place);
  },
});
