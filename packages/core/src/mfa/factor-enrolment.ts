import { AuthError, notFound } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClientInfo } from '../ports/events/client-info.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { User } from '../users/users.ts';
import { getCode } from './challenge-code.ts';
import type { EnrolledFactors } from './enrolled-factors.ts';
import { newEnrolmentId } from './enrolment-id.ts';
import type { EnrolmentQuotas } from './enrolment-quotas.ts';
import { otpauthUri } from './otpauth-uri.ts';
import { qrSvg } from './qr-svg.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { newTotpSecret, verifyTotp } from './totp.ts';

/** Longer than a login is recent, so that the secret can be proved for all of that time. */
const PENDING_MS = 600_000;

/** A secret that was handed out, in the forms that people and their apps read. */
export interface BegunEnrolment {
  /** Base32 of 20 bytes. */
  readonly secret: string;
  readonly otpauthUri: string;
  readonly qrSvg: string;
}

/** A factor that was enrolled just now. */
export interface ConfirmedEnrolment {
  readonly enrolmentId: string;
  /** Shown only this once. */
  readonly recoveryCodes: readonly string[];
}

/**
 * Second factors that users enrol here, for the routes.
 *
 * Security: the caller must check that the user has just logged in.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface FactorEnrolment {
  /**
   * Hands out a new secret. Until a code proves it, the user keeps the factor that they have, if any. An enrolment that
   * was begun before is dropped. The new one is tied to this session.
   *
   * @throws {AuthError} `limit_reached` where the directory has a factor of the user, `too_many_requests`
   */
  begin(user: User, sessionId: string): Promise<BegunEnrolment>;
  /** Whether the user has a factor that was enrolled here. */
  isEnrolled(user: User): Promise<boolean>;
  /**
   * Makes the pending secret the user's factor, in place of an older one. Of parallel calls one gets codes, the others
   * are refused.
   *
   * @throws {AuthError} `invalid_grant` for a wrong code, `not_found` where nothing is pending (any more),
   * `limit_reached` and `too_many_requests` as `begin`
   */
  confirm(user: User, code: string | number, client: ClientInfo): Promise<ConfirmedEnrolment>;
  /** Undoes a `confirm`: a factor that was enrolled since stays. */
  withdraw(user: User, enrolmentId: string, client: ClientInfo): Promise<void>;
  /** @throws {AuthError} `not_found` where no factor was enrolled */
  remove(user: User, client: ClientInfo): Promise<void>;
  /**
   * Replaces all recovery codes by new ones, and answers them, only this once.
   *
   * @throws {AuthError} `not_found` where no factor was enrolled
   */
  replaceRecoveryCodes(user: User, client: ClientInfo): Promise<readonly string[]>;
}

export interface FactorEnrolmentDeps {
  readonly store: Pick<
    MfaStore,
    | 'begin'
    | 'find'
    | 'findPending'
    | 'confirm'
    | 'remove'
    | 'removeEnrolled'
    | 'replaceRecoveryCodes'
  >;
  readonly enrolled: Pick<EnrolledFactors, 'seal' | 'open'>;
  readonly quotas: EnrolmentQuotas;
  /** Shown by authenticator apps. */
  readonly issuerName: string;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createFactorEnrolment(deps: FactorEnrolmentDeps): FactorEnrolment {
  const { store, enrolled, quotas, issuerName, clock, emit } = deps;

  return {
    async begin(user, sessionId) {
      assertNoOtherFactor(user);
      await quotas.admitBeginning(user.id);
      const secret = await newTotpSecret();
      const uri = await otpauthUri(user, { totpSecret: secret, issuerName });
      const begun = { secret, otpauthUri: uri, qrSvg: await qrSvg(uri) };
      const sealedSecret = enrolled.seal(user.id, secret);
      const enrolmentId = newEnrolmentId(sessionId);
      await store.begin(user.id, { enrolmentId, sealedSecret, ttlMs: PENDING_MS });
      return begun;
    },

    async confirm(user, typed, client) {
      const { digits } = getCode(typed, ['totp']);
      assertNoOtherFactor(user);
      const { id: userId } = user;
      const pending = await store.findPending(userId);
      if (pending === null) throw notFound();
      const secret = enrolled.open(userId, pending.sealedSecret);
      await quotas.admitCode(userId);
      const proof = await verifyTotp(secret, digits, clock.nowMs());
      if (proof.outcome === 'wrong') throw new AuthError('invalid_grant', 'The code is wrong.');
      const { enrolmentId } = pending;
      const { codes, recoveryCodeHashes } = await codesFor(userId);
      const won = await store.confirm(userId, { enrolmentId, recoveryCodeHashes });
      if (!won) throw notFound();
      emit({ type: 'factor.enrolled', userId, ...client });
      return { enrolmentId, recoveryCodes: codes };
    },

    async isEnrolled({ id: userId }) {
      return (await store.find(userId)) !== null;
    },

    async withdraw({ id: userId }, enrolmentId, client) {
      const removed = await store.removeEnrolled(userId, enrolmentId);
      if (removed) emit({ type: 'factor.removed', userId, actor: 'user', ...client });
    },

    async remove({ id: userId }, client) {
      if (!(await store.remove(userId))) throw notFound();
      emit({ type: 'factor.removed', userId, actor: 'user', ...client });
    },

    async replaceRecoveryCodes({ id: userId }, client) {
      const { codes, recoveryCodeHashes } = await codesFor(userId);
      const replaced = await store.replaceRecoveryCodes(userId, recoveryCodeHashes);
      if (!replaced) throw notFound();
      emit({ type: 'recovery_codes.replaced', userId, ...client });
      return codes;
    },
  };
}

/** The directory's factor takes precedence, so one of ours would never be asked for. */
function assertNoOtherFactor({ mfa }: User): void {
  if (!mfa) return;
  throw new AuthError('limit_reached', 'The user has a second factor that is managed elsewhere.');
}

async function codesFor(userId: string) {
  const codes = await newRecoveryCodes();
  return { codes, recoveryCodeHashes: codes.map((code) => hashRecoveryCode(userId, code)) };
}
