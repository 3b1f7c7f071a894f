/** Letters of 16 bytes. The pattern does the rest for 16 to 64 bytes, which is what `otplib` takes. */
const MIN_LETTERS = 26;

/**
 * RFC 4648 6, in either case, padded or not: groups of five bytes; a shorter last group ends in a letter whose spare
 * bits are zero.
 */
const BASE32 =
  /^(?:[A-Z2-7]{8}){3,12}(?:[A-Z2-7][AEIMQUY4]={0,6}|[A-Z2-7]{3}[AQ]={0,4}|[A-Z2-7]{4}[ACEGIKMOQSUWY246]={0,3}|[A-Z2-7]{6}[AIQY]=?)?$/i;

/** Whether codes can be made from it. Called at every login of its user, so it decodes nothing. */
export function isTotpSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= MIN_LETTERS && BASE32.test(value);
}
