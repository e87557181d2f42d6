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
  readonly sql: string;
  readonly answer: string;
  readonly limits: string;
};

export type RecipeData = Omit<Recipe, "parameters"> & Partial<Pick<Recipe, "parameters">>;

export const address: RecipeParameter = { kind: "address", meaning: "an account", example: "0x1" };
export const module: RecipeParameter = { kind: "text", meaning: "name of one of its modules", example: "coin" };
export const from: RecipeParameter = { kind: "number", meaning: "ledger version of the older sealed snapshot", example: "2592000" };
export const to: RecipeParameter = { kind: "number", meaning: "ledger version of the newer sealed snapshot", example: "3456004" };

/** Recipes that went with this version, and what answers the question, without its full stop. The next version knows none of them. */
export const retiredRecipes: Readonly<Record<string, string>> = {
  "view-functions": "`entry-functions` answers it with `is_view` in place of `is_entry`",
  "entry-functions-by-type": "`movedex search` finds functions by the types that they take, as in `(signer, u64)`",
  "private-entry-functions": "`entry-functions` answers it for an account, with `AND visibility <> 'public'`",
  "functions-by-name": "`movedex search` finds functions by words, and the view `functions_latest` by `glob('*mint*', name)`",
  "who-returns-struct": "`who-uses-struct` answers it for other modules, in the rows whose place begins with `returns`",
  "event-handles": "`who-uses-struct` answers it with address=0x1, module=event and struct=EventHandle",
  resources: "`events` answers it with `s.has_key` in place of `s.is_event`",
  enums: "the view `variants_latest` has a row for each variant",
  "abort-code": "`movedex explain` answers it",
  "who-depends-on": "`transitive-dependents` answers it, in the rows with steps = 1",
  "last-night": "`worst-last-night` answers it",
  "functions-new": "`functions-gone` answers it with the two versions swapped",
  "key-rotations": "the view `key_rotations` has the same rows",
  holdings: "`movedex snapshots` answers it",
  gaps: "`movedex gaps` answers it",
  "biggest-modules": "the view `modules_latest` answers it, by `bytecode_size`",
  "bytecode-versions": "the view `modules_latest` answers it, by `bytecode_version`",
  "friend-graph": "the view `friends_latest` has a row for each friend",
  "most-upgraded": "the view `module_changes` answers it, counted by `address, module`",
  "function-lifetime": "the view `functions_history` has a row for each stretch of snapshots that show the function so",
  "account-activity": "the view `accounts_history` has a row for each sequence number",
};
