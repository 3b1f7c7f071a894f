import type { InstanceConfiguration } from '../readiness/instance-configuration.ts';
import type { Storage } from '../storage/storage.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** What this process tells the others on its storage. */
export function instanceConfiguration({
  identity,
  keys,
  storage,
}: ResolvedOptions): InstanceConfiguration {
  const { signingKeys, secrets, encrypts, encryption } = keys;
  return {
    issuer: identity.issuer,
    audience: identity.audience,
    signingKeys: signingKeys.publicJwks().keys.map(({ kid }) => kid),
    refreshSecrets: secrets.ids.map(String),
    encryptionKeys: encrypts ? encryption().ids.map(String) : [],
    keepsFactors: storage.mfa !== undefined,
  };
}

/** The parts of the storage that these options use. */
export function usedParts({ storage, webhooks, personalAccessTokens }: ResolvedOptions): Storage {
  const { name, sessions, challenges, limiters, mfa } = storage;
  return {
    name,
    sessions,
    challenges,
    ...(limiters && { limiters }),
    ...(mfa && { mfa }),
    ...(personalAccessTokens &&
      storage.personalAccessTokens && { personalAccessTokens: storage.personalAccessTokens }),
    ...webhooks?.stores,
  };
}
