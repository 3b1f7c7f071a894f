import { DAY_SECONDS } from '../day.ts';
import type { ThrottleOptions } from '../throttle/throttle-options.ts';
import { boundedOptions } from './bounded-options.ts';

export const DEFAULT_THROTTLE: Required<ThrottleOptions> = {
  identifierFailures: 10,
  lockSeconds: 60,
  maxLockSeconds: 900,
  addressFailures: 100,
  addressWindowSeconds: 600,
  knownAddressDays: 30,
};

/** @throws {ConfigError} `option_out_of_bounds` */
export function resolveThrottle(
  throttle: ThrottleOptions | false = {},
): Required<ThrottleOptions> | false {
  if (throttle === false) return false;
  const bounded = boundedOptions('throttle', throttle);
  const optionOrDefault = (
    name: keyof ThrottleOptions,
    bounds: readonly [min: number, max?: number],
  ) => bounded(name, DEFAULT_THROTTLE[name], bounds);

  const lockSeconds = optionOrDefault('lockSeconds', [1, DAY_SECONDS]);
  const defaultMaxLockSeconds = Math.max(lockSeconds, DEFAULT_THROTTLE.maxLockSeconds);
  return {
    identifierFailures: optionOrDefault('identifierFailures', [1]),
    lockSeconds,
    maxLockSeconds: bounded('maxLockSeconds', defaultMaxLockSeconds, [lockSeconds, DAY_SECONDS]),
    addressFailures: optionOrDefault('addressFailures', [1]),
    addressWindowSeconds: optionOrDefault('addressWindowSeconds', [1, DAY_SECONDS]),
    knownAddressDays: optionOrDefault('knownAddressDays', [1, 365]),
  };
}
