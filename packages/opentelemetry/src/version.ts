/** The version of this package, as a test checks. */
export const VERSION = '0.1.0';
