import { AuthError } from '../errors.ts';
import type { EncryptedKind } from '../keys/key-control.ts';
import type { ReadinessFinding } from './not-ready-error.ts';

/** One page of secrets. A process without the right key can usually decrypt none of these. */
const SAMPLE_SIZE = 100;

/**
 * Reports if the keys of this process decrypt none of a sample of the secrets at rest. A single secret that cannot be
 * decrypted may be damaged, and must not keep the app from starting. Reports nothing if the app's database role may not
 * list secrets.
 */
export async function encryptedFindings<Owner>(
  what: string,
  { store, cipher }: EncryptedKind<Owner>,
): Promise<readonly ReadinessFinding[]> {
  const request = { limit: SAMPLE_SIZE, cursor: null };
  const { items } = await store.listEncrypted(request).catch(() => ({ items: [] }));
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
    // Thrown by a cipher without keys: the message names the option that is missing.
    if (!(error instanceof AuthError)) throw error;
    return [finding('encryption_key_missing', error.message)];
  }
}

function finding(code: string, message: string): ReadinessFinding {
  return { part: 'keys', code, message };
}
