/** What `viewsDigest` gives. `npm run docs` writes it. */
export const VIEWS_DIGEST = "8f94dcd2d95f776fe6d815fcfcfe19c0fcb48920e16e10247b47741f5584d116";
