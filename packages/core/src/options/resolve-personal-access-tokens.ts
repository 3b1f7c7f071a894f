import { DAY_SECONDS } from '../day.ts';
import type { PersonalAccessTokenOptions } from '../personal-access-tokens/personal-access-token-options.ts';
import {
  MAX_TOKENS_PER_USER,
  type PersonalAccessTokenPolicy,
} from '../personal-access-tokens/personal-access-token-policy.ts';
import type { Storage } from '../storage/storage.ts';
import { boundedOptions } from './bounded-options.ts';
import { requireStore } from './require-store.ts';

const DEFAULT_DAYS = 90;

/**
 * The policy of personal access tokens; `undefined` if the host turns them off, or gives no option and the storage
 * keeps none.
 *
 * @throws {ConfigError} `option_out_of_bounds`; `storage_invalid` if the option is given and the storage does not keep
 * such tokens, or if its store lacks methods
 */
export function resolvePersonalAccessTokens(
  option: PersonalAccessTokenOptions | false | undefined,
  { personalAccessTokens: store }: Pick<Storage, 'personalAccessTokens'>,
): PersonalAccessTokenPolicy | undefined {
  if (option === false || (option === undefined && store === undefined)) return undefined;
  requireStore('personalAccessTokens', store, { mustKeep: 'personal access tokens too' });
  const options: PersonalAccessTokenOptions = option ?? {};
  const bounded = boundedOptions('personalAccessTokens', options);

  const maxDays = bounded('maxDays', 366, [1, 366]);
  return {
    staleMs: 1000 * bounded('staleSeconds', 0, [0, 60]),
    maxPerUser: bounded('maxPerUser', 50, [1, MAX_TOKENS_PER_USER]),
    defaultLifetimeSeconds: DAY_SECONDS * Math.min(DEFAULT_DAYS, maxDays),
    maxLifetimeSeconds: DAY_SECONDS * maxDays,
  };
}
