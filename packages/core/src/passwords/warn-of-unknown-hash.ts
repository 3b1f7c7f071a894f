import { warn } from '../warning.ts';

/**
 * Names of password hashes, as crypt(5), PHC and passlib spell them.
 *
 * Security: listed one by one, because the text between two dollar signs may also be a salt, or the password itself in
 * a table that stores passwords in the clear.
 */
const NAMED =
  /^\$(?:2[abxy]?|1|5|6|7|md5|sha1|y|gy|P|H|S|apr1|argon2[id]?|scrypt|bcrypt|bcrypt-sha256|pbkdf2|pbkdf2[-_]sha(?:1|256|512))\$/;

/** What shadow(5) and Django write for users who must not log in, and the empty hash of many tables. */
const NO_PASSWORD = /^(?:$|[!*])/;

/** The kinds that this process has warned of: at most one for each name. */
const warnedKinds = new Set<string>();

/** Warns the integrator of users who cannot log in with any password, once for each kind of hash. */
export function warnOfUnknownHash(hash: string): void {
  if (NO_PASSWORD.test(hash)) return;
  const kind = NAMED.exec(hash)?.[0] ?? 'of an unknown form';
  if (warnedKinds.has(kind)) return;
  warnedKinds.add(kind);
  warn(
    'LATCHHOOK_PASSWORDS',
    `users with a password hash ${kind} cannot log in: passwords.schemes has no scheme that recognises it. Give it bcryptScheme, scryptScheme, pbkdf2Scheme or one of your own`,
  );
}
