/** Recipes that went with this version, and what answers the question, without its full stop. The next version knows none of them. */
export const retiredRecipes: Readonly<Record<string, string>> = {
  "view-functions": "`entry-functions` answers it with `is_view` in place of `is_entry`",
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
};
