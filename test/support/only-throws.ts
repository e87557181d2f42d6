import fc from "fast-check";
import { expect } from "vitest";

/** That reading whatever comes, of these values, ends well or in an error of this class. */
export function expectOnlyErrors<T>(
  wanted: abstract new (...args: never[]) => Error,
  values: fc.Arbitrary<T>,
  read: (value: T) => unknown,
  parameters: fc.Parameters<[T]> = {},
): void {
  fc.assert(
    fc.property(values, (value) => {
      try {
        read(value);
      } catch (error) {
        expect(error).toBeInstanceOf(wanted);
      }
    }),
    parameters,
  );
}
