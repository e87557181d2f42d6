/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "cc8c17da86dfb10707019141c5900b6a740c9a72fb8797130257c220c8e1637b",
  "3450573173f24801578bcd44dbf2204f4dc84402329db30048653cdd770c2fb9",
] as const;
