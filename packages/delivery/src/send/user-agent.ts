/** With the version of this package, to which a test holds it. */
export const USER_AGENT = 'Latchhook/0.1.0';
