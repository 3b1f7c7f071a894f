import type { User } from '../users.ts';

/** So much of a name is shown: a label is for people, and a QR code holds no more than it must. */
const MAX_LABEL_CHARS = 100;

/**
 * What an authenticator app reads a factor from: Google's "Key Uri Format", which knows no registered scheme.
 * Algorithm, digits and period are the defaults of every app, and several ignore them where they are told.
 */
export async function otpauthUri(
  user: Pick<User, 'id' | 'username'>,
  factor: { readonly totpSecret: string; readonly issuerName: string },
): Promise<string> {
  const { generateURI } = await import('otplib');
  return generateURI({
    issuer: labelOf(factor.issuerName),
    label: labelOf(user.username || user.id),
    secret: factor.totpSecret,
  });
}

/** A colon would be read as the end of the issuer's name; half a character cannot be encoded. */
function labelOf(name: string): string {
  return name.replaceAll(':', ' ').slice(0, MAX_LABEL_CHARS).toWellFormed();
}
