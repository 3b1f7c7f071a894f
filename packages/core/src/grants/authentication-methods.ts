/** How many methods the host may name that it has authenticated a user by. */
export const MAX_METHODS = 10;
/** Of the name of one, ASCII. */
export const MAX_METHOD_CHARS = 32;

/** What a code of the second factor adds to `amr`: `mfa`, for a recovery code, is as long. */
export const CODE_METHOD = 'otp';

/** The longest `amr` that a session can have. */
export const LONGEST_AMR: readonly string[] = [
  ...Array.from({ length: MAX_METHODS }, () => 'x'.repeat(MAX_METHOD_CHARS)),
  CODE_METHOD,
];
