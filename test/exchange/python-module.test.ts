import { describe, expect, test } from "vitest";
import type { ModuleSpec } from "../../sim/module-writer/module-spec.ts";
import { typingsOf } from "./support/typings-of.ts";

/** The typings of one module, from its first type parameter or class on. */
function typed(spec: Partial<ModuleSpec>, name?: string): string {
  const files = typingsOf("python", spec, name);
  expect([...files.keys()].filter((path) => path.endsWith(".py"))).toHaveLength(4);
  return [...files].find(([path]) => path.startsWith("_0xcafe/") && !path.endsWith("__init__.py"))?.join("\n") ?? "";
}

describe("typings in Python", () => {
  test("have a dataclass for a struct, and a union of dataclasses for an enum", () => {
    const text = typed({
      structs: [
        { name: "Pair", typeParams: ["", "phantom"], fields: [["first", "vector<T0>"]] },
        { name: "E", typeParams: [""], variants: [{ name: "A", fields: [["x", "0xcafe::m::Pair<T0, u64>"]] }, { name: "B" }] },
      ],
    });
    expect(text).toContain("class Pair(Generic[T0, T1]):");
    expect(text).toContain("    first: list[T0]\n");
    expect(text).toContain("class E_A(Generic[T0]):");
    expect(text).toContain("    x: Pair[T0, move.U64]\n");
    expect(text).toContain("\nE: TypeAlias = Union[E_A[T0], E_B[T0]]\n");
  });

  test("rename what Python cannot have, and keep Move's name for the JSON", () => {
    const text = typed({
      structs: [
        { name: "int", fields: [["from", "u8"]] },
        { name: "int_", fields: [["__x", "bool"]] },
        { name: "T0", fields: [["T0", "0xcafe::m::int"]] },
      ],
    });
    expect(text).toContain(
      'class int_:\n    __move__: ClassVar[str] = "0xcafe::m::int"\n    from_: move.U8 = field(metadata={"move": "from"})',
    );
    expect(text).toMatch(/class int__:\n.*\n {4}x___x_[0-9a-f]{8}: bool = field\(metadata=\{"move": "__x"\}\)/);
    expect(text).toContain('class T0_:\n    __move__: ClassVar[str] = "0xcafe::m::T0"\n    T0__: int_ = field(metadata={"move": "T0"})');
    expect(typed({}, "class")).toMatch(/^_0xcafe\/x_class_[0-9a-f]{16}\.py$/m);
    expect(typed({}, "__init__")).toMatch(/^_0xcafe\/x___init___[0-9a-f]{16}\.py$/m);
  });

  test("have a function for what can be called, without the signers", () => {
    const text = typed({
      functions: [
        { name: "pay", visibility: "public", entry: true, typeParams: [""], params: ["&signer", "vector<u8>", "u64"] },
        { name: "hidden", visibility: "public", params: ["u64"] },
      ],
    });
    expect(text).toContain("def pay(t0: str, a0: move.Bytes, a1: move.U64) -> move.Call[None]:");
    expect(text).toContain('return move.call(pay, "0xcafe::m::pay", [t0], [a0, a1])');
    expect(text).not.toContain("hidden");
  });
});
