/**
 * The entry of the environment that lists the variables in which a settings file says that secrets are, with commas between. No
 * variable of an operating system has such a name.
 */
export const SECRET_VARIABLES = "secret variables";
