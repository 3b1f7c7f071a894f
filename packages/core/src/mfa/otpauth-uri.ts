import { otplib } from '../loading/dependencies.ts';
import type { User } from '../users/users.ts';

/** How much of a name is shown: labels are for people, and a QR code should hold no more than it must. */
const MAX_LABEL_CHARS = 100;

/**
 * The URI that authenticator apps read a factor from, in Google's "Key Uri Format", whose scheme is not registered. It
 * leaves out algorithm, digits and period: ours are the defaults of every app, and several ignore others.
 */
export async function otpauthUri(
  user: Pick<User, 'id' | 'username'>,
  factor: { readonly totpSecret: string; readonly issuerName: string },
): Promise<string> {
  const { generateURI } = await otplib.load();
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
