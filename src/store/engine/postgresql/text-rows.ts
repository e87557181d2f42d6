import type { Kind } from "../../../schema/kinds.ts";
import { copyField } from "./values.ts";

/** Characters that are gathered before they are sent. */
const CHUNK = 65_536;

/** Rows in COPY's text format, for columns whose types are no kinds: the server reads any type as text. */
export class TextRows {
  readonly #kinds: readonly Kind[];
  #text = "";

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds;
  }

  add(row: readonly unknown[]): void {
    const kinds = this.#kinds;
    let line = copyField(row[0], kinds[0] as Kind);
    for (let i = 1; i < kinds.length; i++) line += `\t${copyField(row[i], kinds[i] as Kind)}`;
    this.#text += `${line}\n`;
  }

  get isFull(): boolean {
    return this.#text.length >= CHUNK;
  }

  take(): Buffer {
    const chunk = Buffer.from(this.#text);
    this.#text = "";
    return chunk;
  }

  finish(): Buffer {
    return this.take();
  }
}
