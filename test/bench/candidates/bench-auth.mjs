import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createAuth } from '@latchhook/core';
import { same } from '../references/contract.mjs';
import { benchStorages } from './bench-storage.mjs';

/** Latchhook with its defaults, apart from what the environment of the benchmark asks for. */
export async function benchAuth(storage = 'redis') {
  const { BENCH_COOKIES, BENCH_PASSWORD, BENCH_PASSWORD_CHECK, BENCH_THROTTLE } = process.env;
  const users = benchUsers();
  const auth = createAuth({
    issuer: 'https://issuer.example',
    ...(BENCH_COOKIES === 'on' ? { cookies: true } : {}),
    users,
    storage: await benchStorages[storage](),
    keys: {
      signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      refreshSecrets: [randomBytes(32)],
    },
    ...(BENCH_THROTTLE === 'on' ? {} : { throttle: false }),
    ...(BENCH_PASSWORD_CHECK === 'plain'
      ? // Without hashes there is no concurrency to limit.
        {
          passwords: {
            limitConcurrency: false,
            verifier: async (_user, password) => same(password, BENCH_PASSWORD),
          },
        }
      : {}),
  });
  if (BENCH_PASSWORD_CHECK !== 'plain') {
    const { passwordHash } = await auth.passwords.hash(BENCH_PASSWORD);
    users.setPasswordHash(passwordHash);
  }
  return auth;
}

/** The one user, one with a second factor, and any number of others: a users table in memory. */
function benchUsers() {
  const { BENCH_USERNAME, BENCH_MFA_USERNAME, BENCH_TOTP_SECRET } = process.env;
  const user = { id: 'user-1', passwordHash: null, accounts: [1] };
  const byUsername = new Map([[BENCH_USERNAME, user]]);
  if (BENCH_MFA_USERNAME !== undefined) {
    const mfa = { totpSecret: BENCH_TOTP_SECRET };
    byUsername.set(BENCH_MFA_USERNAME, { ...user, id: 'user-2', mfa });
  }
  const byId = new Map([...byUsername.values()].map((known) => [known.id, known]));
  const other = (name) => (/^bench-\d+@/.test(name) ? { ...user, id: name } : null);
  return {
    findByUsername: async (username) => byUsername.get(username) ?? other(username),
    findById: async (id) => byId.get(id) ?? other(id),
    setPasswordHash(passwordHash) {
      for (const known of byId.values()) known.passwordHash = passwordHash;
    },
  };
}
