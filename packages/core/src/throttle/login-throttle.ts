import * as crypto from 'node:crypto';
import { UNKNOWN_ADDRESS } from '../client-info/client-info.ts';
import { DAY_SECONDS } from '../day.ts';
import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import { warn } from '../warning.ts';
import { type AdmittedAddress, createAddressFailures } from './address-failures.ts';
import { addressPrefix } from './address-prefix.ts';
import { canonicalIdentifier } from './canonical-identifier.ts';
import { type AdmittedSubject, createFailuresInRow } from './failures-in-row.ts';
import type { ThrottleOptions } from './throttle-options.ts';

const KNOWN_ADDRESSES = 'throttle:known';

/** Counted like an address, but never recorded as a user's known address, because anybody may come from it. */
const NO_ADDRESS = digest(UNKNOWN_ADDRESS);

/**
 * An admitted login, whose outcome is then reported by `failed` or `succeeded`. Its subject is the identifier; at a
 * known address, the name at that address.
 */
export interface AdmittedLogin extends AdmittedSubject {
  /** The digest of all names that a host's database may consider equal to this one, possibly of several users. */
  readonly identifier: string;
  /** The digest of only this name, in any letter case. */
  readonly name: string;
  /** `null`: the login is counted only by its name. */
  readonly atAddress: AdmittedAddress | null;
  /** Whether the address is valid, and no login with this name from it is recorded. */
  readonly isNewAddress: boolean;
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
 * once a password has been checked, right or wrong, and keeps the result back from the tenth failure on. So after seven
 * failures, a burst at one process learns three results, however fast they are checked. Processes do not wait for each
 * other, so a burst at n processes learns up to n times as many. This holds for checks that take less time than the
 * lock.
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
  const failuresInRow = createFailuresInRow(limiters, options, clock);
  const addressFailures = createAddressFailures(limiters, options, clock);
  const knownSeconds = options.knownAddressDays * DAY_SECONDS;
  const knownAddresses = limiters({ keyPrefix: KNOWN_ADDRESSES, duration: knownSeconds });
  let hasWarned = false;

  /**
   * Whether other names of the identifier have failures. Asked right before the count is cleared, because failures may
   * have been counted while the password was checked.
   */
  async function othersHaveFailed(identifier: string, name: string): Promise<boolean> {
    const [ofIdentifier, ofName] = await Promise.all([
      failuresInRow.failuresOf(identifier),
      failuresInRow.failuresOf(name),
    ]);
    return ofIdentifier > ofName;
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
      // All that may be needed is read together, in one round trip.
      const [ofIdentifier, ofNameAtAddress, atAddress] = await Promise.all([
        failuresInRow.read(identifier, []),
        failuresInRow.read(nameAtAddress, [KNOWN_ADDRESSES]),
        address === null ? null : addressFailures.read(address),
      ]);
      if (atAddress !== null && atAddress.lockedForMs > 0)
        return throttled('address', atAddress.lockedForMs);
      const [knownAddress] = ofNameAtAddress.others;
      const isKnownAddress = Boolean(knownAddress);
      const subject = isKnownAddress ? nameAtAddress : identifier;
      const { failures, lockedForMs } = isKnownAddress ? ofNameAtAddress : ofIdentifier;
      if (lockedForMs !== null) return throttled('identifier', lockedForMs);
      return {
        outcome: 'admitted',
        login: {
          identifier,
          name,
          atAddress: atAddress?.admitted ?? null,
          isNewAddress: isRecordable(address) && !isKnownAddress,
          subject,
          failures,
          admittedAtMs,
        },
      };
    },

    lockedMeanwhile({ subject, atAddress }) {
      const subjectMs = failuresInRow.lockedForMs(subject);
      if (subjectMs > 0) return throttled('identifier', subjectMs);
      const addressMs = atAddress === null ? 0 : addressFailures.lockedForMs(atAddress);
      return addressMs > 0 ? throttled('address', addressMs) : null;
    },

    async failed(login) {
      const { identifier, name, subject, atAddress } = login;
      await Promise.all([
        failuresInRow.count(login),
        atAddress === null ? null : addressFailures.count(atAddress),
        // By name too, so that `succeeded` sees whether other names of the identifier have failures.
        subject === identifier ? failuresInRow.countWithoutLock(name) : null,
      ]);
    },

    async succeeded({ identifier, name, atAddress, subject }) {
      const address = atAddress?.address ?? null;
      const isShared = subject === identifier && (await othersHaveFailed(identifier, name));
      await Promise.all([
        // Only this subject's count: an owner who logs in every day must not give a stranger ten guesses each time.
        isShared ? null : failuresInRow.clear(subject),
        subject === identifier ? failuresInRow.clear(name) : null,
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
