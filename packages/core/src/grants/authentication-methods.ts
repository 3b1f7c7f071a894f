/** How many authentication methods the host may name for a login. */
export const MAX_METHODS = 10;
/** The maximum length of a method's name, in ASCII characters. */
export const MAX_METHOD_CHARS = 32;

/**
 * The method that a TOTP code adds to `amr`. A recovery code adds `mfa`, which has the same length, so this constant
 * stands for both where only the length of a token matters.
 */
export const CODE_METHOD = 'otp';

/** The longest `amr` that a session can have. */
export const LONGEST_AMR: readonly string[] = [
  ...Array.from({ length: MAX_METHODS }, () => 'x'.repeat(MAX_METHOD_CHARS)),
  CODE_METHOD,
];
