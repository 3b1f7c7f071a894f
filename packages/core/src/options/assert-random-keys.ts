import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { isGuessable, MAKE_A_KEY } from '../keys/is-guessable.ts';

/**
 * Rejects keys that somebody could guess. The message does not contain the keys.
 *
 * @throws {ConfigError} with `code`
 */
export function assertRandomKeys(
  option: string,
  code: ConfigErrorCode,
  keys: readonly (string | Uint8Array)[],
): void {
  if (!keys.some(isGuessable)) return;
  throw new ConfigError(
    code,
    `${option}: a key is words, a pattern or the same byte again and again, not random bytes; ${MAKE_A_KEY}`,
  );
}
