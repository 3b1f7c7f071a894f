import type { InstanceConfiguration } from '../readiness/instance-configuration.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** Other processes on this storage compare this configuration with their own when they start. */
export function instanceConfiguration({
  identity,
  accountIdKind,
  keys,
  storage,
}: ResolvedOptions): InstanceConfiguration {
  const { signingKeys, secrets, encryption } = keys;
  return {
    issuer: identity.issuer,
    audience: identity.audience,
    accountIds: accountIdKind,
    signingKeys: signingKeys.publicJwks().keys.map(({ kid }) => kid),
    refreshSecrets: secrets.ids.map(String),
    encryptionKeys: encryption.ids.map(String),
    storesMfa: storage.mfa !== undefined,
  };
}
