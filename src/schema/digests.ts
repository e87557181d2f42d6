/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "effb8c33ee3b238b17a7547d7304f75678b3728bbbb2091b61dc56111d1e03a1",
  "3450573173f24801578bcd44dbf2204f4dc84402329db30048653cdd770c2fb9",
] as const;
