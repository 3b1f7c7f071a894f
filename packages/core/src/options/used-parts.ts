import type { StorageName } from '../storage/storage.ts';
import { STORAGE_PARTS } from '../storage/store-methods.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** The parts of the storage that these options use. */
export function usedParts({
  storage,
  webhooks,
  personalAccessTokens,
}: ResolvedOptions): readonly StorageName[] {
  /** Whether the options use a part; the parts that are not listed are always used. */
  const isUsed: Partial<Record<StorageName, boolean>> = {
    webhooks: webhooks !== undefined,
    deliveries: webhooks !== undefined,
    personalAccessTokens: personalAccessTokens !== undefined,
  };
  return STORAGE_PARTS.filter((part) => storage[part] !== undefined && isUsed[part] !== false);
}
