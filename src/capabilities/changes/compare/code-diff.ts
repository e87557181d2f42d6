import { diffArrays } from "diff";
import { Disassembler, isBranch } from "../../../core/move/code/disassemble.ts";
import { type FunctionCode, readFunctions } from "../../../core/move/code/read-code.ts";
import { DecodeError } from "../../../core/move/decode-error.ts";
import { CodeComparison } from "./code-comparison.ts";

export type CodeLine = {
  readonly change: "same" | "removed" | "added";
  /** The index of the instruction, on the newer side if it is the same on both; null for a local variable. */
  readonly index: number | null;
  readonly text: string;
};

/** How the code of one function differs. Stretches that are the same are left out but for some lines around each change. */
export type FunctionDiff = {
  readonly function: string;
  /** `added` and `removed`: one side has no such function, or it is native there. */
  readonly change: "changed" | "added" | "removed";
  readonly hunks: readonly (readonly CodeLine[])[];
};

/** The functions whose code differs; of `leftOut` more the lines were too many. `unreadable` says why nothing could be read. */
export type CodeDiff = { readonly functions: readonly FunctionDiff[]; readonly leftOut: number } | { readonly unreadable: string };

/** Lines around a change. */
const CONTEXT = 3;
/** Lines of a difference, unless the caller wants fewer. The largest upgrade of a real framework module has some thousands. */
const LINES_MAX = 20_000;
/** Beyond this number of single changes two functions count as wholly different: finding the fewest costs their square. */
const EDITS_MAX = 2_000;

/**
 * Compares the instructions of two modules, function by function. Instructions are equal if they name the same items, locals whatever
 * number they have now, and branches if they lead to the same instruction, wherever it is now. `linesMax` limits the lines of all
 * functions together. Never throws.
 */
export function diffCode(before: Uint8Array, after: Uint8Array, linesMax = LINES_MAX): CodeDiff {
  try {
    return diffModules(before, after, Math.min(linesMax, LINES_MAX));
  } catch (error) {
    if (error instanceof DecodeError) return { unreadable: error.message };
    throw error;
  }
}

function diffModules(before: Uint8Array, after: Uint8Array, linesMax: number): CodeDiff {
  const [old, now] = [codesOf(before), codesOf(after)];
  const [oldWords, newWords] = [new Disassembler(), new Disassembler()];
  const compare = new CodeComparison();
  const functions: FunctionDiff[] = [];
  let [linesLeft, editsLeft, leftOut] = [linesMax, 10 * EDITS_MAX, 0];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    if (was !== undefined && is !== undefined && compare.isSameFunction(was, is)) continue;
    const lines = diffLines(linesOf(was, oldWords), linesOf(is, newWords), Math.min(EDITS_MAX, editsLeft));
    editsLeft -= Math.min(EDITS_MAX, editsLeft, lines.filter(({ change }) => change !== "same").length);
    const hunks = hunksOf(lines);
    const size = sizeOf(hunks);
    if (size > linesLeft) leftOut += 1;
    // Without a hunk only its locals have other numbers.
    if (size > linesLeft || hunks.length === 0) continue;
    linesLeft -= size;
    functions.push({ function: name, change: was === undefined ? "added" : is === undefined ? "removed" : "changed", hunks });
  }
  return { functions, leftOut };
}

export function lineCount(diff: CodeDiff | undefined): number {
  if (diff === undefined || "unreadable" in diff) return 0;
  return diff.functions.reduce((sum, { hunks }) => sum + sizeOf(hunks), 0);
}

function sizeOf(hunks: FunctionDiff["hunks"]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.length, 0);
}

function codesOf(bytes: Uint8Array): ReadonlyMap<string, FunctionCode> {
  return new Map([...readFunctions(bytes)].filter(([, { definition }]) => !definition.isNative));
}

/** A local variable or an instruction: two with the same `key` are the same, if branches, when their targets are, and so of locals. */
type Line = {
  readonly key: string;
  readonly index: number | null;
  readonly text: string;
  readonly target?: number;
  /** The local variable that it names. */
  readonly local?: number;
};

/** Instructions that name a local variable: most of an upgrade's differences are its number. */
const OF_LOCALS: ReadonlySet<string> = new Set(["CopyLoc", "MoveLoc", "StLoc", "MutBorrowLoc", "ImmBorrowLoc"]);

/** The local variables of a function, then its instructions; none if there is no function. */
function linesOf(code: FunctionCode | undefined, words: Disassembler): Line[] {
  if (code === undefined) return [];
  const { locals, instructions } = words.disassemble(code);
  const lines = code.instructions.map((instruction, index): Line => {
    const text = instructions[index] as string;
    if (isBranch(instruction)) return { key: instruction.name, index, text, target: locals.length + (instruction.index ?? 0) };
    // A parameter is what callers give at its place.
    if (OF_LOCALS.has(instruction.name) && !/ arg\d+$/.test(text))
      return { key: instruction.name, index, text, local: instruction.index ?? 0 };
    const { reference } = instruction;
    // Fields are read by their place: one that moved is another one.
    return { key: reference?.kind === "field" ? `${text}#${reference.index}` : text, index, text };
  });
  const declared = locals.map(({ name, type }): Line => ({ key: `: ${type}`, index: null, text: `${name}: ${type}` }));
  return [...declared, ...lines];
}

/** The lines that two texts share, by their places. Beyond `maxEditLength` all between the first and the last difference differ. */
export function matchLines(before: readonly string[], after: readonly string[], maxEditLength: number): Map<number, number> {
  const matches = new Map<number, number>();
  let [old, now] = [0, 0];
  const match = (count: number): void => {
    for (let i = 0; i < count; i++) matches.set(old++, now++);
  };
  const shorter = Math.min(before.length, after.length);
  while (old < shorter && before[old] === after[old]) match(1);
  let tail = 0;
  while (tail < shorter - old && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const ends = [before.length - tail, after.length - tail] as const;
  for (const { count, added, removed } of diffArrays(before.slice(old, ends[0]), after.slice(now, ends[1]), { maxEditLength }) ?? []) {
    if (!added && !removed) match(count);
    if (removed) old += count;
    if (added) now += count;
  }
  [old, now] = ends;
  match(tail);
  return matches;
}

/** Both sides in one list, what was removed before what was added. */
function diffLines(before: readonly Line[], after: readonly Line[], maxEditLength: number): CodeLine[] {
  const keys = (lines: readonly Line[]): string[] => lines.map(({ key }) => key);
  const matches = matchLines(keys(before), keys(after), maxEditLength);
  const isSameTarget = sameTargets(matches);
  const isSameLocal = sameLocals();
  const merged: CodeLine[] = [];
  const removed: CodeLine[] = [];
  const added: CodeLine[] = [];
  const flush = (): void => void merged.push(...removed.splice(0), ...added.splice(0));
  let now = 0;
  for (let old = 0; old <= before.length; old++) {
    const match = old === before.length ? after.length : matches.get(old);
    for (; match !== undefined && now < match; now++) added.push(codeLine("added", after[now] as Line));
    const [was, is] = [before[old], match === undefined ? undefined : after[match]];
    if (was === undefined) break;
    if (is !== undefined && isSameTarget(was.target, is.target) && isSameLocal(was.local, is.local)) {
      flush();
      merged.push(codeLine("same", is));
    } else {
      removed.push(codeLine("removed", was));
      if (is !== undefined) added.push(codeLine("added", is));
    }
    if (is !== undefined) now += 1;
  }
  flush();
  return merged;
}

/** Whether two branches go to the same place: to the same instruction, or both to the begin of the same stretch of changes. */
function sameTargets(matches: ReadonlyMap<number, number>): (old: number | undefined, now: number | undefined) => boolean {
  const origins = new Map(Array.from(matches, ([old, now]) => [now, old]));
  return (old, now) => {
    if (old === undefined || now === undefined) return true;
    const match = matches.get(old);
    if (match !== undefined || origins.has(now)) return match === now;
    // The instructions before them are the same one, or both are the first.
    return old === 0 || now === 0 ? old === now : matches.get(old - 1) === now - 1;
  };
}

/** Whether two locals are the same by another number: each stands for one of the other side, from the first time that they meet. */
function sameLocals(): (old: number | undefined, now: number | undefined) => boolean {
  const [forward, back] = [new Map<number, number>(), new Map<number, number>()];
  return (old, now) => {
    if (old === undefined || now === undefined) return true;
    if (!forward.has(old) && !back.has(now)) {
      forward.set(old, now);
      back.set(now, old);
    }
    return forward.get(old) === now;
  };
}

function codeLine(change: CodeLine["change"], { index, text }: Line): CodeLine {
  return { change, index, text };
}

/** The changes with the lines around them; stretches that touch are one. */
function hunksOf(lines: readonly CodeLine[]): CodeLine[][] {
  const hunks: CodeLine[][] = [];
  let end = -1;
  for (const [i, { change }] of lines.entries()) {
    if (change === "same") continue;
    const from = Math.max(end, i - CONTEXT);
    const to = Math.min(lines.length, i + CONTEXT + 1);
    if (from > end || hunks.length === 0) hunks.push(lines.slice(from < 0 ? 0 : from, to));
    else hunks.at(-1)?.push(...lines.slice(end, to));
    end = to;
  }
  return hunks;
}
