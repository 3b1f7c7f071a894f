import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { Clock } from '../ports/clock.ts';
import type { AnyUserStore } from '../users/users.ts';

/** Optional methods of a user store; if one is given, it must be a function. */
const OPTIONAL_WRITES = ['replacePasswordHash', 'consumeRecoveryCode'] as const;

/** @throws {ConfigError} `users_invalid` */
export function assertUsers(users: AnyUserStore): void {
  const givenWrites = OPTIONAL_WRITES.filter((name) => users?.[name] !== undefined);
  const missing = missingMethods('users', users, ['findByUsername', 'findById', ...givenWrites]);
  if (missing.length === 0) return;
  throw new ConfigError(
    'users_invalid',
    `users must have the methods findByUsername and findById: ${missing.join(' and ')} is no function`,
  );
}

/** @throws {ConfigError} `clock_invalid` */
export function assertClock(clock: Clock): void {
  const optional = clock?.monotonicMs === undefined ? [] : (['monotonicMs'] as const);
  const missing = missingMethods('clock', clock, ['nowMs', ...optional]);
  if (missing.length === 0) return;
  throw new ConfigError(
    'clock_invalid',
    `clock must have a method nowMs that answers milliseconds since 1970: ${missing.join(' and ')} is no function; leave it out for the system's`,
  );
}

/** @throws {ConfigError} `options_invalid` */
export function assertAccessTokenClaims(option: unknown): void {
  if (option === undefined || typeof option === 'function') return;
  throw new ConfigError(
    'options_invalid',
    "accessTokenClaims must be a function of a user, such as (user) => ({ plan: 'free' })",
  );
}
