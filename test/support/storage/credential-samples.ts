import type {
  MfaStore,
  NewPersonalAccessToken,
  PersonalAccessTokenStore,
} from '@latchhook/core/storage';
import { type RedisStorageOptions, redisStorage } from '@latchhook/redis';
import { PATIENT_MS } from '../time/patience.ts';
import { ADA } from './login-samples.ts';

export const EVERY_MINUTE = { touchEveryMs: 60_000 } as const;

/** The stores of personal access tokens and second factors. */
export interface CredentialStores {
  readonly tokens: PersonalAccessTokenStore;
  readonly mfa: MfaStore;
}

export function credentialStores(
  client: Parameters<typeof redisStorage>[0],
  options: RedisStorageOptions = {},
): CredentialStores {
  const { personalAccessTokens, mfa } = redisStorage(client, {
    deadlineMs: PATIENT_MS,
    ...options,
  });
  if (personalAccessTokens === undefined || mfa === undefined) throw new Error('no such stores');
  return { tokens: personalAccessTokens, mfa };
}

export function newToken(
  tokenId: string,
  change: Partial<NewPersonalAccessToken> = {},
): NewPersonalAccessToken {
  return {
    userId: ADA,
    tokenId,
    name: 'deploy',
    prefix: 'lh_pat_0aZ9',
    scopes: ['user'],
    accountId: null,
    tokenHash: `hash of ${tokenId}`,
    ttlMs: 90 * 86_400_000,
    ...change,
  };
}

export async function enrol(mfa: MfaStore, userId: string = ADA): Promise<void> {
  await mfa.begin(userId, {
    sessionId: 's1',
    enrolmentId: 'e1',
    encryptedSecret: 'encrypted',
    ttlMs: 600_000,
  });
  const recoveryCodeHashes = Array.from({ length: 10 }, (_, i) => `code ${i}`);
  await mfa.confirm(userId, { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes });
}
