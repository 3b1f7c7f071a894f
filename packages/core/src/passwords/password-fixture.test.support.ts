import type { AccountId } from '../account-id.ts';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import type { User } from '../users/users.ts';
import type { Argon2Work } from './argon2-phc.ts';
import { createHashLimiter, type HashLimiter } from './hash-limiter.ts';
import type { PasswordOptions } from './password-options.ts';
import { createPasswordVerifier } from './password-verifier.ts';
import type { PasswordScheme, SchemeAnswer } from './schemes/password-scheme.ts';

export const PASSWORD = 'correct horse battery staple';
export const ADDRESS = '192.0.2.1';

/** A verifier that records its runs of argon2id. They are cheap: the tag is the password and the salt. */
export function countingVerifier(
  options?: PasswordOptions<AccountId>,
  limiter: HashLimiter = createHashLimiter(resolvePasswords(options)),
) {
  const runs: Argon2Work[] = [];
  const computeArgon2 = async (password: string, work: Argon2Work) => {
    runs.push(work);
    return Buffer.alloc(work.tagBytes, `${password} ${work.salt.toString('hex')}`);
  };
  return {
    runs,
    verifier: createPasswordVerifier(resolvePasswords(options), { limiter, computeArgon2 }),
  };
}

type Counting = ReturnType<typeof countingVerifier>;

export async function hashOf({ verifier, runs }: Counting, password: string): Promise<string> {
  const result = await verifier.hash(password);
  if (result.outcome !== 'hashed') throw new Error(`not hashed: ${result.outcome}`);
  runs.length = 0;
  return result.passwordHash;
}

export function userWith(passwordHash: string | null, overrides: Partial<User> = {}): User {
  return { id: 'u1', passwordHash, accounts: [1], ...overrides };
}

/** Recognises hashes of the form `old:<password in the clear>`. */
export function oldScheme(result?: SchemeAnswer): PasswordScheme & { typedPasswords: string[] } {
  const typedPasswords: string[] = [];
  return {
    name: 'old',
    typedPasswords,
    recognises: (hash) => hash.startsWith('old:'),
    async verify(hash, password) {
      typedPasswords.push(password);
      return result ?? (hash === `old:${password}` ? 'exact_match' : 'mismatch');
    },
  };
}

/** Takes the limiter's only permit; the returned function gives it back. */
export function block(limiter: HashLimiter): () => Promise<unknown> {
  let finish = (): void => undefined;
  const blocking = limiter.run(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    'blocking',
  );
  return () => {
    finish();
    return blocking;
  };
}
