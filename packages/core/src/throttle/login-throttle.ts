import * as crypto from 'node:crypto';
import { UNKNOWN_ADDRESS } from '../client-info/client-info.ts';
import { DAY_SECONDS } from '../day.ts';
import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import { type LockRule, lockSecondsAfter, locksUpTo } from '../storage/lock-rule.ts';
import { warn } from '../warning.ts';
import { type AdmittedAddress, createAddressFailures } from './address-failures.ts';
import { addressPrefix } from './address-prefix.ts';
import { canonicalIdentifier } from './canonical-identifier.ts';
import { LocalLocks } from './local-locks.ts';
import { PendingFailures } from './pending-failures.ts';
import type { ThrottleOptions } from './throttle-options.ts';

/** The count of failures in a row expires a day after the first. */
const FAILURES_SECONDS = DAY_SECONDS;

const KNOWN_ADDRESSES = 'throttle:known';

/** Counted like an address, but never recorded as a user's known address, because anybody may come from it. */
const NO_ADDRESS = digest(UNKNOWN_ADDRESS);

/** An admitted login, whose outcome is then reported by `failed` or `succeeded`. */
export interface AdmittedLogin {
  /** The digest of all names that a host's database may consider equal to this one, possibly of several users. */
  readonly identifier: string;
  /** The digest of only this name, in any letter case. */
  readonly name: string;
  /** `null`: the login is counted only by its name. */
  readonly atAddress: AdmittedAddress | null;
  /** Whether no login with this name from the address is recorded. `false` if the login has no valid address. */
  readonly isNewAddress: boolean;
  /** What failures count against: the identifier; at a known address, the name at that address. */
  readonly subject: string;
  /** How many failures in a row the store had counted against the subject. */
  readonly failures: number;
  /** When the store was asked, by the monotonic clock, ms. */
  readonly admittedAtMs: number;
}

export type Admission = { readonly outcome: 'admitted'; readonly login: AdmittedLogin } | Throttled;

export interface Throttled {
  readonly outcome: 'throttled';
  readonly reason: 'identifier' | 'address';
  readonly retryAfterMs: number;
}

/**
 * Slows down guessing, per identifier and per address, over all processes that share the limiters. By default, every
 * tenth failure locks an identifier, and the hundredth an address; these numbers are used below.
 *
 * Atomicity: the store counts a failure, and locks at every tenth, in one transition. So no process admits a login that
 * arrives after the tenth failure was counted and before its lock ends, even if the process that counted it has been
 * killed.
 *
 * Concurrency: a burst of parallel guesses may be admitted before the first of them fails. `lockedMeanwhile` is called
 * once a password has been checked, right or wrong: after seven failures, a burst at one process learns three results,
 * however fast they are checked. Processes do not wait for each other, so a burst at n processes learns up to n times
 * as many. This holds for checks that take less time than the lock.
 */
export interface LoginThrottle {
  /** @param remoteAddress - in canonical form; `null`: the login is counted only by its name */
  admit(username: string, remoteAddress: string | null): Promise<Admission>;
  lockedMeanwhile(login: AdmittedLogin): Throttled | null;
  /** Counts a failure; every tenth in a row locks the subject. */
  failed(login: AdmittedLogin): Promise<void>;
  /**
   * Clears the count of the subject, and records the address as known for the user. Failures of another name of the
   * identifier are not cleared: the owner of `victim@gmaíl.com` must not get new guesses at `victim@gmail.com`.
   */
  succeeded(login: AdmittedLogin): Promise<void>;
}

/** For hosts that have turned throttling off. */
export const noThrottle: LoginThrottle = {
  admit: async () => ({
    outcome: 'admitted',
    login: {
      identifier: '',
      name: '',
      atAddress: null,
      isNewAddress: false,
      subject: '',
      failures: 0,
      admittedAtMs: 0,
    },
  }),
  lockedMeanwhile: () => null,
  failed: async () => {},
  succeeded: async () => {},
};

export function createLoginThrottle(
  limiters: LimiterFactory,
  options: Required<ThrottleOptions>,
  clock: Clock,
): LoginThrottle {
  const lockRule = lockRuleOf(options);
  const failuresInRow = limiters({ keyPrefix: 'throttle:streak', duration: FAILURES_SECONDS });
  const addressFailures = createAddressFailures(limiters, options, clock);
  const knownSeconds = options.knownAddressDays * DAY_SECONDS;
  const knownAddresses = limiters({ keyPrefix: KNOWN_ADDRESSES, duration: knownSeconds });
  /** Locks that this process has set, or read from the store. */
  const lockedHere = new LocalLocks(clock);
  const pending = new PendingFailures(() => monotonicMs(clock));
  let hasWarned = false;

  function lockFor(subject: string, forMs: number): Throttled {
    lockedHere.lock(subject, forMs);
    return throttled('identifier', forMs);
  }

  /**
   * Locks the subject in this process, if a failure that locks it was counted since the login was admitted: a failure
   * of this login, or of a login in another process.
   */
  function lockSince({ subject, failures: failuresBefore }: AdmittedLogin, failures: number): void {
    // Fewer failures than before mean that the user has logged in since then, which resets the count.
    if (locksUpTo(failures, lockRule) <= locksUpTo(failuresBefore, lockRule)) return;
    lockedHere.lock(subject, 1000 * lockSecondsAfter(failures, lockRule));
  }

  /** Counts a failure against the subject; every tenth in a row locks the subject. */
  async function countInRow(login: AdmittedLogin): Promise<void> {
    const { subject } = login;
    // Locks before the store has answered, because a burst may be checked in one turn of the event loop.
    lockSince(login, pending.begin(subject, login));
    try {
      const { consumedPoints } = await failuresInRow.penaltyWithLock(subject, lockRule);
      pending.recount(subject, consumedPoints);
      lockSince(login, consumedPoints);
    } finally {
      pending.end(subject);
    }
  }

  /**
   * Whether other names of the identifier have failures. Asked right before the count is cleared, because failures may
   * have been counted while the password was checked.
   */
  async function othersHaveFailed(identifier: string, name: string): Promise<boolean> {
    const [[ofIdentifier], [ofName]] = await Promise.all([
      failuresInRow.get(identifier, []),
      failuresInRow.get(name, []),
    ]);
    return (ofIdentifier?.consumedPoints ?? 0) > (ofName?.consumedPoints ?? 0);
  }

  return {
    async admit(username, remoteAddress) {
      if (remoteAddress === null && !hasWarned) {
        hasWarned = true;
        warnOfNoAddress();
      }
      const identifier = digest(canonicalIdentifier(username));
      const address = remoteAddress === null ? null : digest(addressPrefix(remoteAddress));
      const name = digest(`name ${username.normalize('NFC').toLowerCase()}`);
      const nameAtAddress = keyAtAddress(name, address);
      const admittedAtMs = monotonicMs(clock);
      // All that may be needed is read together, in one round trip; a count and its lock in one transition.
      const [ofIdentifier, ofNameAtAddress, atAddress] = await Promise.all([
        failuresInRow.get(identifier, [lockRule.keyPrefix]),
        failuresInRow.get(nameAtAddress, [lockRule.keyPrefix, KNOWN_ADDRESSES]),
        address === null ? null : addressFailures.read(address),
      ]);
      if (atAddress !== null && atAddress.lockedForMs > 0)
        return throttled('address', atAddress.lockedForMs);
      const [countAtAddress, lockAtAddress, knownAddress] = ofNameAtAddress;
      const isKnownAddress = Boolean(knownAddress);
      const subject = isKnownAddress ? nameAtAddress : identifier;
      const [count, lock] = isKnownAddress ? [countAtAddress, lockAtAddress] : ofIdentifier;
      if (lock) return lockFor(subject, lock.msBeforeNext);
      return {
        outcome: 'admitted',
        login: {
          identifier,
          name,
          atAddress: atAddress?.admitted ?? null,
          isNewAddress: isRecordable(address) && !isKnownAddress,
          subject,
          failures: count?.consumedPoints ?? 0,
          admittedAtMs,
        },
      };
    },

    lockedMeanwhile({ subject, atAddress }) {
      const subjectMs = lockedHere.leftMs(subject);
      if (subjectMs > 0) return throttled('identifier', subjectMs);
      const addressMs = atAddress === null ? 0 : addressFailures.lockedForMs(atAddress);
      return addressMs > 0 ? throttled('address', addressMs) : null;
    },

    async failed(login) {
      const { identifier, name, subject, atAddress } = login;
      await Promise.all([
        countInRow(login),
        atAddress === null ? null : addressFailures.count(atAddress),
        // By name too, so that `succeeded` sees whether other names of the identifier have failures.
        subject === identifier ? failuresInRow.penalty(name) : null,
      ]);
    },

    async succeeded({ identifier, name, atAddress, subject }) {
      const address = atAddress?.address ?? null;
      const isShared = subject === identifier && (await othersHaveFailed(identifier, name));
      await Promise.all([
        // Only this subject's count: an owner who logs in every day must not give a stranger ten guesses each time.
        isShared ? null : failuresInRow.delete(subject),
        subject === identifier ? failuresInRow.delete(name) : null,
        isRecordable(address)
          ? knownAddresses.block(keyAtAddress(name, address), knownSeconds)
          : null,
      ]);
    },
  };
}

function throttled(reason: Throttled['reason'], retryAfterMs: number): Throttled {
  return { outcome: 'throttled', reason, retryAfterMs };
}

/** The key of a name at an address: failures at a known address, and known addresses, are recorded under it. */
function keyAtAddress(name: string, address: string | null): string {
  return `${name}.${address ?? ''}`;
}

/** Whether a login from the address makes it known for the user. */
function isRecordable(address: string | null): boolean {
  return address !== null && address !== NO_ADDRESS;
}

/** Each lock is twice as long as the lock before it, up to the longest. */
function lockRuleOf(options: Required<ThrottleOptions>): LockRule {
  const { identifierFailures, lockSeconds, maxLockSeconds } = options;
  const seconds: [number, ...number[]] = [lockSeconds];
  let last = lockSeconds;
  while (last < maxLockSeconds) {
    last = Math.min(maxLockSeconds, 2 * last);
    seconds.push(last);
  }
  return { keyPrefix: 'throttle:lock', every: identifierFailures, seconds };
}

function warnOfNoAddress(): void {
  warn(
    'LATCHHOOK_ADDRESS',
    'logins come without a client address, as over a Unix socket: failed logins have no limit by address. Configure the proxy that your framework trusts (Express: trust proxy; Koa: proxy), or give toFetchHandler a remoteAddress',
  );
}

/** Keeps names and addresses out of the store. Somebody who guesses a name can still recognise its digest. */
function digest(text: string): string {
  return crypto.hash('sha256', text, 'base64url').slice(0, 22);
}
