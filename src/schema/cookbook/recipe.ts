/** A value that a recipe needs: what it means and one that may be given. */
export type RecipeParameter = {
  /** `address` takes every form of an address, `number` decimal and 0x hex. */
  readonly kind: "address" | "number" | "text";
  readonly meaning: string;
  readonly example: string;
};

/** One question that people ask of an archive, with the SQL that answers it and what the answer is worth. */
export type Recipe = {
  /** A short name in kebab-case, for the command line. */
  readonly name: string;
  readonly question: string;
  /** By name; `:name` in the statement. */
  readonly parameters: Readonly<Record<string, RecipeParameter>>;
  /** One statement over the documented views. */
  readonly sql: string;
  readonly answer: string;
  /** What the answer does not say. */
  readonly limits: string;
};

/** A recipe as it is written down; one that needs no values has no parameters. */
export type RecipeData = Omit<Recipe, "parameters"> & Partial<Pick<Recipe, "parameters">>;

export const address: RecipeParameter = { kind: "address", meaning: "an account", example: "0x1" };
export const module: RecipeParameter = { kind: "text", meaning: "name of one of its modules", example: "coin" };
export const from: RecipeParameter = { kind: "number", meaning: "ledger version of the older sealed snapshot", example: "2592000" };
export const to: RecipeParameter = { kind: "number", meaning: "ledger version of the newer sealed snapshot", example: "3456004" };
