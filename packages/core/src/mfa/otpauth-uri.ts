import { otplib } from '../loading/dependencies.ts';
import type { User } from '../users/users.ts';

/** The maximum length of a name, because a long text makes a QR code hard to scan. */
const MAX_LABEL_CHARS = 100;

/**
 * The URI from which authenticator apps read a factor, in the "Key Uri Format" of Google (the scheme is not
 * registered). Leaves out algorithm, digits and period, which are the defaults of every app: several apps ignore these
 * parameters.
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

/** Apps would read a colon as the end of the issuer's name, and half of a surrogate pair cannot be encoded. */
function labelOf(name: string): string {
  return name.replaceAll(':', ' ').slice(0, MAX_LABEL_CHARS).toWellFormed();
}
