/** What `viewsDigest` gives. `npm run docs` writes it. */
export const VIEWS_DIGEST = "6c80d3fa3bdebb908c7bdb6064093362d8f7e29e45c1832dc24fcf2d308ed1b8";
