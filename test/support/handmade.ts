import { ByteSink, encodeModule, type TableRows } from "../../sim/module-writer/module-encoder.ts";

/** Bytes from numbers and from others' bytes. */
export function row(...parts: readonly (number | Iterable<number>)[]): Uint8Array {
  const sink = new ByteSink();
  for (const part of parts) sink.bytes(typeof part === "number" ? [part] : part);
  return sink.done();
}

/** A name's row in the table of identifiers. */
export function nameRow(name: string): Uint8Array {
  return new ByteSink().text(name).done();
}

/**
 * A module put together by hand: `0x1::M`, whose only module handle is its own, with one name (index 0), the tables given
 * and nothing else.
 */
export function handmade(version: number, rows: TableRows = {}): Uint8Array {
  const address = new Uint8Array(32);
  address[31] = 1;
  return encodeModule(version, { moduleHandles: [row(0, 0)], identifiers: [nameRow("M")], addresses: [address], ...rows });
}
