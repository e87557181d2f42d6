/** Closes `resource` where the block of its `await using` ends, be it by an error. */
export function closing<T extends { readonly close: () => Promise<void> }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: () => resource.close() });
}
