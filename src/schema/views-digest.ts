/** What `viewsDigest` gives. `npm run docs` writes it. */
export const VIEWS_DIGEST = "fe6558f4aa364fcdc1bd582c4ceba38ca4e19189c3624a6e1d1c576f918697f2";
