import { describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import type { PersonalAccessTokenOptions } from '../personal-access-tokens/personal-access-token-options.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { resolvePersonalAccessTokens } from './resolve-personal-access-tokens.ts';

const storage = memoryStorage();
const DAY_SECONDS = 86_400;

function errorCodeOf(resolve: () => unknown): string {
  try {
    resolve();
    return 'nothing was rejected';
  } catch (error) {
    if (error instanceof ConfigError) return error.code;
    throw error;
  }
}

describe('the option personalAccessTokens', () => {
  it('has defaults if the storage keeps personal access tokens', () => {
    expect(resolvePersonalAccessTokens(undefined, storage)).toEqual({
      staleMs: 0,
      maxPerUser: 50,
      defaultLifetimeSeconds: 90 * DAY_SECONDS,
      maxLifetimeSeconds: 366 * DAY_SECONDS,
    });
  });

  it('limits the default and the maximum lifetime to maxDays', () => {
    expect(resolvePersonalAccessTokens({ maxDays: 7 }, storage)).toMatchObject({
      defaultLifetimeSeconds: 7 * DAY_SECONDS,
      maxLifetimeSeconds: 7 * DAY_SECONDS,
    });
  });

  it('resolves to undefined if it is false, or if it is absent and the storage keeps no such tokens', () => {
    expect(resolvePersonalAccessTokens(false, storage)).toBeUndefined();
    expect(resolvePersonalAccessTokens(undefined, {})).toBeUndefined();
  });

  it('is rejected with storage_invalid if the storage lacks methods for such tokens', () => {
    expect(errorCodeOf(() => resolvePersonalAccessTokens({}, {}))).toBe('storage_invalid');
    const incomplete = { personalAccessTokens: { use: async () => null } as never };
    expect(errorCodeOf(() => resolvePersonalAccessTokens(undefined, incomplete))).toBe(
      'storage_invalid',
    );
  });

  it.each<PersonalAccessTokenOptions>([
    { staleSeconds: -1 },
    { staleSeconds: 61 },
    { staleSeconds: 0.5 },
    { maxPerUser: 0 },
    { maxPerUser: 1_001 },
    { maxDays: 0 },
    { maxDays: 367 },
    { maxDays: Number.NaN },
  ])('is rejected with option_out_of_bounds: %j', (options) => {
    expect(errorCodeOf(() => resolvePersonalAccessTokens(options, storage))).toBe(
      'option_out_of_bounds',
    );
  });
});
