import fc from "fast-check";
import type { FunctionSpec, ModuleSpec, StructSpec, TypeParameterSpec } from "../../sim/module-writer/module-spec.ts";
import { type Address, parseAddress } from "../../src/core/move/address.ts";
import type { Ability, MoveType } from "../../src/core/move/types/make-type.ts";
import {
  functionType,
  parameterType,
  plainStructType,
  primitiveType,
  referenceType,
  type StructType,
  structType,
  vectorType,
} from "../../src/core/move/types/make-type.ts";

/** Every version that the writer can write with metadata. */
export const arbitraryVersion = fc.integer({ min: 5, max: 10 });

const identifier = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,15}$/);
const uniqueNames = (maxLength: number): fc.Arbitrary<string[]> => fc.uniqueArray(identifier, { maxLength });
const abilities = fc.subarray<Ability>(["copy", "drop", "store", "key"]);
const constraints = abilities.map((list) => list.join(" + "));
const attributes = fc.array(
  fc.record({ kind: fc.integer({ min: 0, max: 7 }), args: fc.array(fc.string({ maxLength: 12 }), { maxLength: 2 }) }),
  { maxLength: 2 },
);

const strings = plainStructType({ address: parseAddress("0x1") as Address, name: "string" }, "String");
const options = plainStructType({ address: parseAddress("0x1") as Address, name: "option" }, "Option");

/** A struct that types may name, and how many type arguments it takes. */
type Named = { readonly plain: StructType; readonly arity: number };

/** A type that exists in `version`, over these structs and so many type parameters. */
export function arbitraryType(version: number, structs: readonly Named[], generics: number): fc.Arbitrary<MoveType> {
  const primitives = ["bool", "u8", "u64", "u128", "address", "signer"];
  if (version >= 6) primitives.push("u16", "u32", "u256");
  if (version >= 9) primitives.push("i8", "i16", "i32", "i64", "i128", "i256");
  const named = [...structs, { plain: strings, arity: 0 }, { plain: options, arity: 1 }];
  const plains = named.filter(({ arity }) => arity === 0).map(({ plain }): MoveType => plain);
  const leaves: MoveType[] = [...primitives.map(primitiveType), ...plains, ...Array.from({ length: generics }, (_, i) => parameterType(i))];
  return fc.letrec<{ type: MoveType }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(...leaves),
      tie("type").map(vectorType),
      fc.tuple(fc.boolean(), tie("type")).map(([mutable, target]) => referenceType(mutable, target)),
      fc
        .constantFrom(...named.filter(({ arity }) => arity > 0))
        .chain(({ plain, arity }) => fc.array(tie("type"), { minLength: arity, maxLength: arity }).map((args) => structType(plain, args))),
      ...(version < 8
        ? []
        : [
            fc
              .tuple(abilities, fc.array(tie("type"), { maxLength: 2 }), fc.array(tie("type"), { maxLength: 2 }))
              .map((parts) => functionType(...parts)),
          ]),
    ),
  })).type;
}

/** A module as a compiler for `version` might make it: every kind of item, all names distinct. */
export function arbitraryModule(version: number): fc.Arbitrary<ModuleSpec> {
  return fc
    .record({
      address: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((number) => `0x${number.toString(16)}` as Address),
      name: identifier,
      structNames: uniqueNames(4),
      functionNames: uniqueNames(5),
    })
    .chain(({ address, name, structNames, functionNames }) =>
      fc
        .array(fc.array(arbitraryStructParameter, { maxLength: 2 }), { minLength: structNames.length, maxLength: structNames.length })
        .chain((params) => {
          const named = structNames.map((struct, i) => ({
            plain: plainStructType({ address, name }, struct),
            arity: params[i]?.length ?? 0,
          }));
          return fc.record({
            version: fc.constant(version),
            address: fc.constant(address),
            name: fc.constant(name),
            friends: fc.uniqueArray(identifier, { maxLength: 2 }).map((names) => names.map((friend) => `0x2::${friend}`)),
            structs: fc.tuple(...structNames.map((struct, i) => arbitraryStruct(version, struct, params[i] ?? [], named))),
            functions: fc.tuple(...functionNames.map((fn) => arbitraryFunction(version, fn, named, structNames))),
            errors: fc.uniqueArray(
              fc.record({ code: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), name: identifier, description: fc.string() }),
              {
                maxLength: 3,
                selector: ({ code }) => code,
              },
            ),
          });
        }),
    );
}

const arbitraryStructParameter = fc.tuple(fc.constantFrom("", "phantom "), constraints).map((words) => words.join(""));

function arbitraryStruct(
  version: number,
  name: string,
  typeParams: readonly TypeParameterSpec[],
  named: readonly Named[],
): fc.Arbitrary<StructSpec> {
  const fields = uniqueNames(3).chain((names) =>
    fc.tuple(...names.map((field) => fc.tuple(fc.constant(field), arbitraryType(version, named, typeParams.length)))),
  );
  const head = { name: fc.constant(name), typeParams: fc.constant(typeParams), abilities, attributes };
  const variants = fc
    .uniqueArray(identifier, { minLength: 1, maxLength: 3 })
    .chain((names) => fc.tuple(...names.map((variant) => fc.record({ name: fc.constant(variant), fields }))));
  return fc.oneof(
    fc.record({ ...head, fields }),
    fc.record({ ...head, native: fc.constant(true) }),
    ...(version < 7 ? [] : [fc.record({ ...head, variants })]),
  );
}

function arbitraryFunction(
  version: number,
  name: string,
  named: readonly Named[],
  structNames: readonly string[],
): fc.Arbitrary<FunctionSpec> {
  return fc.array(constraints, { maxLength: 2 }).chain((typeParams) => {
    const types = fc.array(arbitraryType(version, named, typeParams.length), { maxLength: 3 });
    const marks = fc.array(
      fc.constantFrom(
        { name: "persistent" },
        { name: "module_lock" },
        ...(version < 10 ? [] : [{ name: "pack" }, { name: "borrow_mut", operand: 513 }]),
      ),
      { maxLength: 2 },
    );
    return fc.record({
      name: fc.constant(name),
      visibility: fc.constantFrom("private" as const, "public" as const, "friend" as const),
      entry: fc.boolean(),
      native: fc.boolean(),
      typeParams: fc.constant(typeParams),
      params: types,
      returns: types,
      acquires: fc.subarray([...structNames]),
      attributes,
      ...(version < 8 ? {} : { marks }),
    });
  });
}
