/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "d00b56593c2ae380365660fffecde8a8ed4d4b291af92f07adfe09acac081c72",
  "a751bed2cb3fb8b08aba1c7dc22613baf3d7425d81cec93f18cbd26914be1ddf",
] as const;
