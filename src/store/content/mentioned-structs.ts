import type { ModuleId, MoveType } from "../../move/types/types.ts";

/** Every struct that a type mentions, in no order that matters. Depth is bounded where types are read, not by the stack here. */
export function* structsOf(type: MoveType): Generator<{ readonly module: ModuleId; readonly name: string }> {
  const rest: MoveType[] = [type];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    switch (next.kind) {
      case "vector":
        rest.push(next.element);
        break;
      case "reference":
        rest.push(next.target);
        break;
      case "struct":
        yield next;
        rest.push(...next.typeArguments);
        break;
      case "function":
        rest.push(...next.params, ...next.results);
        break;
    }
  }
}
