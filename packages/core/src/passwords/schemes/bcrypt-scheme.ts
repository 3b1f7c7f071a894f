import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { ConfigError } from '../../errors.ts';
import { uncheckedFields } from '../../unchecked-fields.ts';
import type { PasswordScheme } from './password-scheme.ts';

/** A hash of 2^14 rounds takes one to two seconds. */
const DEFAULT_MAX_COST = 14;
/** bcrypt reads 72 bytes: the password and a NUL after it, repeated if they are shorter. */
const BYTES_READ = 72;
/** The lowest and the highest cost of bcrypt. */
const COSTS = [4, 31] as const;
const OPTIONS: NamesOf<BcryptSchemeOptions> = { compare: true, maxCost: true };
const BCRYPT = /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/;

/** What {@link bcryptScheme} compares with, and up to which cost. */
export interface BcryptSchemeOptions {
  /**
   * `compare` of the npm package `bcrypt`, or of `bcryptjs`, unchanged. Prefer `bcrypt`: it hashes off the main thread.
   * If your app trims or folds passwords first, write a {@link PasswordScheme} that does so and returns `match`.
   */
  readonly compare: (password: string, hash: string) => Promise<boolean>;
  /** The highest cost (log2 of the rounds) that is computed, 4 to 31; hashes above are unusable. Default: 14. */
  readonly maxCost?: number;
}

/**
 * Hashes of bcrypt: `$2a$`, `$2b$` and `$2y$` (PHP's). `$2x$` is not accepted: it marks a broken implementation.
 *
 * Security: bcrypt reads only the first 72 bytes of a password, and some implementations end it at a NUL. A password of
 * 72 bytes or more, or with a NUL, may not be the one that the user chose: it returns `match`, and the hash is kept.
 *
 * @throws {ConfigError} `passwords_invalid`, `option_unknown`, `option_out_of_bounds`
 *
 * @example
 * ```ts
 * import { bcryptScheme } from '@latchhook/core';
 *
 * declare const bcrypt: { compare(password: string, hash: string): Promise<boolean> }; // import bcrypt from 'bcrypt'
 *
 * const schemes = [bcryptScheme({ compare: bcrypt.compare })];
 * ```
 */
export function bcryptScheme(options: BcryptSchemeOptions): PasswordScheme {
  const { compare, maxCost: maxCostOption } = uncheckedFields<BcryptSchemeOptions>(options);
  // Rejected here, not at the first login: `import * as bcrypt` has `compare` only under `default`.
  if (typeof compare !== 'function') {
    throw new ConfigError(
      'passwords_invalid',
      'bcryptScheme takes the compare of the package: bcryptScheme({ compare: bcrypt.compare })',
    );
  }
  assertNames('bcryptScheme', 'passwords_invalid', options, OPTIONS);
  const maxCost = boundedInteger('bcryptScheme.maxCost', maxCostOption, DEFAULT_MAX_COST, COSTS);
  return {
    name: 'bcrypt',
    recognises: (hash) => /^\$2[aby]\$/.test(hash),
    async verify(hash, password) {
      const cost = BCRYPT.exec(hash)?.groups?.['cost'];
      if (cost === undefined || Number(cost) > maxCost) return 'unusable';
      // `$2y$` is PHP's name of the format that is `$2b$` elsewhere; the npm package knows only `$2b$`.
      const portableHash = hash.replace(/^\$2y\$/, '$2b$$');
      if (!(await compare(password, portableHash))) return 'mismatch';
      return isReadWhole(password) ? 'exact_match' : 'match';
    },
  };
}

/** Whether bcrypt reads the whole password and the NUL after it, and no other NUL ends the password sooner. */
function isReadWhole(password: string): boolean {
  return Buffer.byteLength(password) < BYTES_READ && !password.includes('\0');
}
