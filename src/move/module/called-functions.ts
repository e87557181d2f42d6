import type { FunctionHandle } from "./function-handles.ts";
import { TABLE_ROWS_MAX } from "./limits.ts";

/** By function handle: the number of the last caller noted for it. Shared between modules, which are read one at a time. */
const lastCaller = new Uint32Array(TABLE_ROWS_MAX);
let callers = 0;

/** Gathers which functions a module's functions call, while their code is checked. */
export class CalledFunctions {
  readonly #handles: readonly FunctionHandle[];
  readonly #instantiated: readonly number[];
  #caller = 0;
  #called: FunctionHandle[] | undefined;

  /** @param instantiated by row of the function instantiations: the row of the function handles */
  constructor(handles: readonly FunctionHandle[], instantiated: readonly number[]) {
    this.#handles = handles;
    this.#instantiated = instantiated;
  }

  begin(): void {
    callers = (callers + 1) >>> 0;
    if (callers === 0) {
      lastCaller.fill(0);
      callers = 1;
    }
    this.#caller = callers;
    this.#called = undefined;
  }

  /** Notes a call, or a function value: an index that has been checked. */
  note(index: number, isInstantiation: boolean): void {
    const handle = isInstantiation ? (this.#instantiated[index] as number) : index;
    if (lastCaller[handle] === this.#caller) return;
    lastCaller[handle] = this.#caller;
    this.#called ??= [];
    this.#called.push(this.#handles[handle] as FunctionHandle);
  }

  /** What the function calls, each once in the order in which it first does. */
  end(): readonly FunctionHandle[] {
    return this.#called ?? NOTHING;
  }
}

const NOTHING: readonly FunctionHandle[] = [];
