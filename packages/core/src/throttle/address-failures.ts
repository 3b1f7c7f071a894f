import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import { LocalLocks } from './local-locks.ts';
import { PendingFailures } from './pending-failures.ts';
import type { ThrottleOptions } from './throttle-options.ts';

/** The address of an admitted login. */
export interface AdmittedAddress {
  /** A digest. */
  readonly address: string;
  /** How many failures from the address the store had counted. */
  readonly failures: number;
  /** When the store was asked, by the monotonic clock, ms. */
  readonly admittedAtMs: number;
}

/** Counts failed logins by address. Too many in one window lock the address for the rest of the window. */
export interface AddressFailures {
  /** Asks the store. `lockedForMs`: how much longer the address is locked; 0: it is not locked. */
  read(
    address: string,
  ): Promise<{ readonly admitted: AdmittedAddress; readonly lockedForMs: number }>;
  /** How much longer the address is locked, ms, by what this process knows since the login was admitted. */
  lockedForMs(admitted: AdmittedAddress): number;
  count(admitted: AdmittedAddress): Promise<void>;
}

export function createAddressFailures(
  limiters: LimiterFactory,
  options: Required<Pick<ThrottleOptions, 'addressFailures' | 'addressWindowSeconds'>>,
  clock: Clock,
): AddressFailures {
  const { addressFailures: maxFailures, addressWindowSeconds: windowSeconds } = options;
  const windows = limiters({ keyPrefix: 'throttle:address', duration: windowSeconds });
  /** Addresses that have too many failures by the last reply of the store. */
  const locks = new LocalLocks(clock);
  const pending = new PendingFailures(() => monotonicMs(clock));

  return {
    async read(address) {
      const admittedAtMs = monotonicMs(clock);
      const [window] = await windows.get(address, []);
      const failures = window?.consumedPoints ?? 0;
      return {
        admitted: { address, failures, admittedAtMs },
        lockedForMs: window && failures >= maxFailures ? window.msBeforeNext : 0,
      };
    },
    lockedForMs(admitted) {
      const { address } = admitted;
      const leftMs = locks.leftMs(address);
      if (leftMs > 0) return leftMs;
      // Failures that the store is still counting may reach the limit. How much of the window is left is not known yet.
      return pending.expected(address, admitted) < maxFailures ? 0 : 1000 * windowSeconds;
    },
    async count(admitted) {
      const { address } = admitted;
      pending.begin(address, admitted);
      try {
        const { consumedPoints, msBeforeNext } = await windows.penalty(address);
        pending.recount(address, consumedPoints);
        if (consumedPoints >= maxFailures) locks.lock(address, msBeforeNext);
      } finally {
        pending.end(address);
      }
    },
  };
}
