/** Makes sure of something that only a mistake in movedex, or a broken installation, can make untrue. @throws Error otherwise */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** A value that has to be there. @throws Error where it is undefined, which only a mistake in movedex can cause */
export function present<T>(value: T | undefined, message: string): T {
  invariant(value !== undefined, message);
  return value as T;
}

/** For a place that code never comes to. @throws Error always */
export function unreachable(message: string): never {
  throw new Error(message);
}
