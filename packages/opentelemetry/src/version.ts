/** The version of this package, to which a test holds it. */
export const VERSION = '0.1.0';
