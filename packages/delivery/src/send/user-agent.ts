/** A test checks that the version is that of the package. */
export const USER_AGENT = 'Latchhook/0.1.0';
