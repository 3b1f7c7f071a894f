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

/** A verifier whose every run of argon2id is counted. It is cheap: a tag is the password and the salt. */
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
  const hashed = await verifier.hash(password);
  if (hashed.outcome !== 'hashed') throw new Error(`not hashed: ${hashed.outcome}`);
  runs.length = 0;
  return hashed.passwordHash;
}

export function userWith(passwordHash: string | null, more: Partial<User> = {}): User {
  return { id: 'u1', passwordHash, accounts: [1], ...more };
}

/** Recognises hashes that begin with `old:` and holds the password in the clear behind that. */
export function oldScheme(answer?: SchemeAnswer): PasswordScheme & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'old',
    asked,
    recognises: (hash) => hash.startsWith('old:'),
    async verify(hash, password) {
      asked.push(password);
      return answer ?? (hash === `old:${password}` ? 'exact_match' : 'mismatch');
    },
  };
}

/** Takes the limiter's one permit until told to give it back. */
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
