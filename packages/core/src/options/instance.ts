import type { InstanceConfiguration } from '../readiness/instance-configuration.ts';
import type { StorageName } from '../storage/storage.ts';
import { STORAGE_PARTS } from '../storage/store-methods.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** Other processes on this storage compare this configuration with their own when they start. */
export function instanceConfiguration({
  identity,
  accountIdKind,
  keys,
  storage,
}: ResolvedOptions): InstanceConfiguration {
  const { signingKeys, secrets, encrypts, encryption } = keys;
  return {
    issuer: identity.issuer,
    audience: identity.audience,
    accountIds: accountIdKind,
    signingKeys: signingKeys.publicJwks().keys.map(({ kid }) => kid),
    refreshSecrets: secrets.ids.map(String),
    encryptionKeys: encrypts ? encryption().ids.map(String) : [],
    storesMfa: storage.mfa !== undefined,
  };
}

/** The parts of the storage that these options use. */
export function usedParts(options: ResolvedOptions): readonly StorageName[] {
  return STORAGE_PARTS.filter(
    (part) => options.storage[part] !== undefined && isUsed(part, options),
  );
}

function isUsed(
  part: StorageName,
  { webhooks, personalAccessTokens }: Pick<ResolvedOptions, 'webhooks' | 'personalAccessTokens'>,
): boolean {
  switch (part) {
    case 'webhooks':
    case 'deliveries':
      return webhooks !== undefined;
    case 'personalAccessTokens':
      return personalAccessTokens !== undefined;
    default:
      return true;
  }
}
