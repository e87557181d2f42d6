/**
 * What engines say differently: the whole difference between two engines in statements and views. Arguments and results
 * are texts of SQL.
 */
export type Words = {
  readonly engine: "sqlite" | "postgresql";
  readonly least: (a: string, b: string) => string;
  readonly greatest: (a: string, b: string) => string;
  readonly each: (json: string, alias: string) => string;
  readonly item: (json: string, index: number) => string;
  readonly listText: (json: string) => string;
  readonly hexOf: (bytes: string) => string;
  readonly timeText: (time: string) => string;
  readonly u64: (value: string) => string;
  readonly placeOf: (text: string, part: string) => string;
  readonly lastCharacters: (text: string, count: number) => string;
  readonly mentions: (typeText: string, name: string) => string;
  readonly now: string;
  readonly later: (time: string, milliseconds: string) => string;
  readonly forUpdate: string;
  readonly skipLocked: string;
};
