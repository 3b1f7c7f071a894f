/** How many authentication methods the host may name for a login. */
export const MAX_METHODS = 10;
/** The longest name of a method, in ASCII characters. */
export const MAX_METHOD_CHARS = 32;

/**
 * What a code of the second factor adds to `amr`: `otp`, or `mfa` for a recovery code; equally long, so either may
 * stand in for the length.
 */
export const CODE_METHOD = 'otp';

/** The longest `amr` that a session can have. */
export const LONGEST_AMR: readonly string[] = [
  ...Array.from({ length: MAX_METHODS }, () => 'x'.repeat(MAX_METHOD_CHARS)),
  CODE_METHOD,
];
