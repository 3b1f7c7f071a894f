import { badToken } from '../bearer/bearer-refusals.ts';
import { AuthError, notFound } from '../errors.ts';
import { standingOf } from '../grants/standing.ts';
import type { Clock } from '../ports/clock.ts';
import { randomId } from '../ports/random.ts';
import type { Origin, SecurityEvent } from '../ports/telemetry.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { User, UserDirectory } from '../users.ts';
import { readChallengeCode } from './challenge-code.ts';
import type { EnrolledFactors } from './enrolled-factors.ts';
import { otpauthUri } from './otpauth-uri.ts';
import { qrSvg } from './qr-svg.ts';
import { assertRecentLogin } from './recent-login.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { newTotpSecret, verifyTotp } from './totp.ts';

/** Longer than a login is recent: who is told a secret has all of that time to prove it. */
const PENDING_MS = 600_000;

/** Whose factor it is about, and how long ago they have logged in. */
export type EnrollingLogin = Pick<AccessTokenInfo, 'userId' | 'accountId' | 'authTimeMs'>;

/** A secret that was handed out, in the forms that people and their apps take it in. */
export interface BegunEnrolment {
  /** Base32 of 20 bytes. */
  readonly secret: string;
  readonly otpauthUri: string;
  readonly qrSvg: string;
}

/**
 * Second factors that users enrol here, for the routes.
 *
 * Security: every call needs a recent login, by a password that is still the user's.
 *
 * @throws {AuthError} `insufficient_scope` where the login is not recent, `invalid_token` where the user may not
 * use it any more, `temporarily_unavailable`
 */
export interface FactorEnrolment {
  /**
   * Hands out a new secret. The user's factor, or having none, stays as it is until a code proves it; what
   * was begun before is given up.
   *
   * @throws {AuthError} `limit_reached` where the directory has a factor of the user
   */
  begin(login: EnrollingLogin): Promise<BegunEnrolment>;
  /**
   * Makes the secret the user's factor, in place of an older one, and answers its recovery codes, this once.
   * Of parallel calls one is answered codes, the others are refused.
   *
   * @throws {AuthError} `invalid_grant` for a wrong code, `not_found` where nothing is pending (any more),
   * `limit_reached` as `begin`
   */
  confirm(login: EnrollingLogin, code: string | number, origin: Origin): Promise<readonly string[]>;
  /** @throws {AuthError} `not_found` where no factor was enrolled */
  remove(login: EnrollingLogin, origin: Origin): Promise<void>;
  /**
   * Makes new recovery codes in place of all that there were, and answers them, this once.
   *
   * @throws {AuthError} `not_found` where no factor was enrolled
   */
  replaceRecoveryCodes(login: EnrollingLogin, origin: Origin): Promise<readonly string[]>;
}

/** What enrolment needs, and nothing besides. */
export interface EnrolmentServices {
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly store: Pick<
    MfaStore,
    'begin' | 'findPending' | 'confirm' | 'remove' | 'replaceRecoveryCodes'
  >;
  readonly enrolled: Pick<EnrolledFactors, 'seal' | 'open'>;
  /** Shown by authenticator apps. */
  readonly issuerName: string;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createFactorEnrolment(services: EnrolmentServices): FactorEnrolment {
  const { users, store, enrolled, issuerName, clock, emit } = services;

  return {
    async begin(login) {
      const user = await userWithoutFactor(login);
      const secret = await newTotpSecret();
      const uri = await otpauthUri(user, { totpSecret: secret, issuerName });
      const begun = { secret, otpauthUri: uri, qrSvg: await qrSvg(uri) };
      const sealedSecret = enrolled.seal(user.id, secret);
      await store.begin(user.id, { enrolmentId: randomId(), sealedSecret, ttlMs: PENDING_MS });
      return begun;
    },

    async confirm(login, typed, origin) {
      const digits = wellFormed(typed);
      const { id: userId } = await userWithoutFactor(login);
      const pending = await store.findPending(userId);
      if (pending === null) throw notFound();
      const secret = enrolled.open(userId, pending.sealedSecret);
      // Attempts are not counted: whoever may ask has been told the secret.
      const proof = await verifyTotp(secret, digits, clock.nowMs());
      if (proof.outcome === 'wrong') throw new AuthError('invalid_grant', 'The code is wrong.');
      const { enrolmentId } = pending;
      const { codes, recoveryCodeHashes } = await codesFor(userId);
      const won = await store.confirm(userId, { enrolmentId, recoveryCodeHashes });
      if (!won) throw notFound();
      emit({ type: 'factor.enrolled', userId, ...origin });
      return codes;
    },

    async remove(login, origin) {
      const { id: userId } = await currentUser(login);
      if (!(await store.remove(userId))) throw notFound();
      emit({ type: 'factor.removed', userId, ...origin });
    },

    async replaceRecoveryCodes(login, origin) {
      const { id: userId } = await currentUser(login);
      const { codes, recoveryCodeHashes } = await codesFor(userId);
      const replaced = await store.replaceRecoveryCodes(userId, recoveryCodeHashes);
      if (!replaced) throw notFound();
      emit({ type: 'recovery_codes.replaced', userId, ...origin });
      return codes;
    },
  };

  async function currentUser(login: EnrollingLogin): Promise<User> {
    assertRecentLogin(login, clock.nowMs());
    const standing = standingOf(await users.findById(login.userId), login);
    if (standing.outcome !== 'good') throw badToken;
    return standing.user;
  }

  /** The directory's factor stands before one of ours, which would never be asked for. */
  async function userWithoutFactor(login: EnrollingLogin): Promise<User> {
    const user = await currentUser(login);
    if (!user.mfa) return user;
    throw new AuthError('limit_reached', 'The user has a second factor that is managed elsewhere.');
  }
}

async function codesFor(userId: string) {
  const codes = await newRecoveryCodes();
  return { codes, recoveryCodeHashes: codes.map((code) => hashRecoveryCode(userId, code)) };
}

function wellFormed(typed: string | number): string {
  const code = readChallengeCode(typed);
  if (code?.kind === 'totp') return code.digits;
  throw new AuthError('invalid_request', 'The request is malformed.', {
    fields: [{ field: 'code', message: 'must be six digits' }],
  });
}
