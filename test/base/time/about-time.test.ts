import { describe, expect, test } from "vitest";
import { aboutTime } from "../../../src/base/time/duration.ts";

describe("aboutTime", () => {
  const at = Date.UTC(2026, 10, 21, 10, 0, 3, 250);

  test("says no more than is known", () => {
    expect(aboutTime(at, 0)).toBe("2026-11-21T10:00:03Z");
    expect(aboutTime(at, 999)).toBe("2026-11-21T10:00:03Z");
    expect(aboutTime(at, 40_000)).toBe("about 2026-11-21T10:00Z (± 40 s)");
    expect(aboutTime(at, null)).toBe("at the latest 2026-11-21T10:00Z");
    expect(aboutTime(null, null)).toBeUndefined();
  });
});
