/** How often an account is tried before its gap is parked, unless it is said otherwise: four nights of three rounds each. */
export const GAP_TRIES = 12;
