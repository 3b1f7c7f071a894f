import { boundedInteger } from '../bounded-integer.ts';
import { DEFAULT_THROTTLE, type ThrottleOptions } from '../throttle/throttle-options.ts';

const DAY_SECONDS = 86_400;

/** @throws {ConfigError} `option_out_of_bounds` */
export function resolveThrottle(
  throttle: ThrottleOptions | false = {},
): Required<ThrottleOptions> | false {
  if (throttle === false) return false;
  const bounded = (
    name: keyof ThrottleOptions,
    bounds: readonly [min: number, max?: number],
    fallback = DEFAULT_THROTTLE[name],
  ) => boundedInteger(`throttle.${name}`, throttle[name], fallback, bounds);

  const lockSeconds = bounded('lockSeconds', [1, DAY_SECONDS]);
  return {
    identifierFailures: bounded('identifierFailures', [1]),
    lockSeconds,
    maxLockSeconds: bounded(
      'maxLockSeconds',
      [lockSeconds, DAY_SECONDS],
      Math.max(lockSeconds, DEFAULT_THROTTLE.maxLockSeconds),
    ),
    addressFailures: bounded('addressFailures', [1]),
    addressWindowSeconds: bounded('addressWindowSeconds', [1, DAY_SECONDS]),
    knownAddressDays: bounded('knownAddressDays', [1, 365]),
  };
}
