import type { LifetimeOptions, MfaOptions } from '../auth-options.ts';
import { boundedInteger } from '../bounded-integer.ts';
import { DAY_SECONDS } from '../day.ts';
import type { Policy } from '../policy.ts';
import { boundedOptions } from './bounded-options.ts';

const MAX_SESSION_SECONDS = 90 * DAY_SECONDS;

/** The most replays of one generation: more than all open tabs of a user cause, if each has lost a response. */
const REPLAY_LIMIT = 256;
/** Far more rotations than a session makes in the few seconds whose writes a failover may lose. */
const ROLL_FORWARD_LIMIT = 1_000;

/**
 * Fills in defaults and rejects values out of bounds.
 *
 * @throws {ConfigError} `option_out_of_bounds`
 */
export function resolvePolicy(
  lifetimes: LifetimeOptions = {},
  mfa: MfaOptions = {},
  maxSessionsPerUser: number | undefined,
): Policy {
  const lifetime = boundedOptions('lifetimes', lifetimes);
  const factor = boundedOptions('mfa', mfa);
  const maxAccessTokenSeconds = lifetime('maxAccessTokenSeconds', DAY_SECONDS, [600, DAY_SECONDS]);
  const absoluteSeconds = lifetime('refreshAbsoluteSeconds', MAX_SESSION_SECONDS, [
    60,
    MAX_SESSION_SECONDS,
  ]);
  const defaultIdleSeconds = Math.min(30 * DAY_SECONDS, absoluteSeconds);
  const lockSeconds = factor('lockSeconds', 900, [1, DAY_SECONDS]);
  return {
    accessTokenSeconds: lifetime('accessTokenSeconds', Math.min(3_600, maxAccessTokenSeconds), [
      600,
      maxAccessTokenSeconds,
    ]),
    maxAccessTokenSeconds,
    session: {
      idleMs: 1000 * lifetime('refreshIdleSeconds', defaultIdleSeconds, [60, absoluteSeconds]),
      absoluteMs: 1000 * absoluteSeconds,
      maxPerUser: boundedInteger('maxSessionsPerUser', maxSessionsPerUser, 100, [1, 1_000]),
    },
    rotation: {
      graceMs: 1000 * lifetime('refreshGraceSeconds', 60, [0, 300]),
      replayLimit: REPLAY_LIMIT,
      rollForwardLimit: ROLL_FORWARD_LIMIT,
    },
    challengeMs: 1000 * lifetime('challengeSeconds', 300, [30, 900]),
    attempts: {
      perChallenge: factor('attemptsPerChallenge', 5, [1, 10]),
      perUser: factor('failuresBeforeLock', 10, [3, 20]),
      lockMs: 1000 * lockSeconds,
      maxLockMs: 1000 * factor('maxLockSeconds', DAY_SECONDS, [lockSeconds, DAY_SECONDS]),
      suspendAfter: factor('failuresBeforeSuspension', 100, [10, 100]),
    },
  };
}
