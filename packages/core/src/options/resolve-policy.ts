import type { LifetimeOptions, MfaOptions } from '../auth-options.ts';
import { boundedInteger } from '../bounded-integer.ts';
import type { Policy } from '../policy.ts';

const DAY_SECONDS = 86_400;
const MAX_SESSION_SECONDS = 90 * DAY_SECONDS;

/**
 * Fills in defaults and refuses what is out of bounds.
 *
 * @throws {ConfigError} `option_out_of_bounds`
 */
export function resolvePolicy(
  lifetimes: LifetimeOptions = {},
  mfa: MfaOptions = {},
  maxSessionsPerUser: number | undefined,
): Policy {
  const maxAccessTokenSeconds = boundedInteger(
    'lifetimes.maxAccessTokenSeconds',
    lifetimes.maxAccessTokenSeconds,
    DAY_SECONDS,
    [600, DAY_SECONDS],
  );
  const absoluteSeconds = boundedInteger(
    'lifetimes.refreshAbsoluteSeconds',
    lifetimes.refreshAbsoluteSeconds,
    MAX_SESSION_SECONDS,
    [60, MAX_SESSION_SECONDS],
  );
  const lockSeconds = boundedInteger('mfa.lockSeconds', mfa.lockSeconds, 900, [1, DAY_SECONDS]);
  return {
    accessTokenSeconds: boundedInteger(
      'lifetimes.accessTokenSeconds',
      lifetimes.accessTokenSeconds,
      Math.min(3_600, maxAccessTokenSeconds),
      [600, maxAccessTokenSeconds],
    ),
    maxAccessTokenSeconds,
    session: {
      idleMs:
        1000 *
        boundedInteger(
          'lifetimes.refreshIdleSeconds',
          lifetimes.refreshIdleSeconds,
          Math.min(30 * DAY_SECONDS, absoluteSeconds),
          [60, absoluteSeconds],
        ),
      absoluteMs: 1000 * absoluteSeconds,
      maxPerUser: boundedInteger('maxSessionsPerUser', maxSessionsPerUser, 100, [1, 1_000]),
    },
    rotation: {
      graceMs:
        1000 *
        boundedInteger(
          'lifetimes.refreshGraceSeconds',
          lifetimes.refreshGraceSeconds,
          60,
          [0, 300],
        ),
      replayLimit: 256,
      rollForwardLimit: 1_000,
    },
    challengeMs:
      1000 *
      boundedInteger('lifetimes.challengeSeconds', lifetimes.challengeSeconds, 300, [30, 900]),
    attempts: {
      perChallenge: boundedInteger(
        'mfa.attemptsPerChallenge',
        mfa.attemptsPerChallenge,
        5,
        [1, 10],
      ),
      perUser: boundedInteger('mfa.failuresBeforeLock', mfa.failuresBeforeLock, 10, [3, 20]),
      lockMs: 1000 * lockSeconds,
      maxLockMs:
        1000 *
        boundedInteger('mfa.maxLockSeconds', mfa.maxLockSeconds, DAY_SECONDS, [
          lockSeconds,
          DAY_SECONDS,
        ]),
      suspendAfter: boundedInteger(
        'mfa.failuresBeforeSuspension',
        mfa.failuresBeforeSuspension,
        100,
        [10, 100],
      ),
    },
  };
}
