import { AuthError } from '../errors.ts';
import type { EncryptedKind } from '../keys/key-control.ts';
import type { ReadinessFinding } from './not-ready-error.ts';

/** As many as a page has: where keys are missing, mostly none of them opens. */
const LOOKED_AT = 100;

/**
 * Whether the keys of this process open any of what is encrypted at rest: a single secret may be damaged, and keep no
 * app from starting. Where that cannot be listed, since the role of the app may not, nothing is found.
 */
export async function encryptedFindings<Owner>(
  what: string,
  { store, cipher }: EncryptedKind<Owner>,
): Promise<readonly ReadinessFinding[]> {
  const page = store.listEncrypted({ limit: LOOKED_AT, cursor: null });
  const items = await page.then((listed) => listed.items).catch(() => []);
  try {
    const unreadable = items.filter(
      ({ owner, encrypted }) => cipher.decrypt(owner, encrypted) === null,
    );
    if (items.length === 0 || unreadable.length < items.length) return [];
    return [
      finding(
        'encryption_key_unknown',
        `no key of keys.encryption decrypts any of the ${what} that are stored: give this process the keys that encrypted them`,
      ),
    ];
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return [finding('encryption_key_missing', error.message)];
  }
}

function finding(code: string, message: string): ReadinessFinding {
  return { part: 'keys', code, message };
}
