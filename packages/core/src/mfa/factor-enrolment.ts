import type { ClientInfo } from '../client-info/client-info.ts';
import { notFound } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { AnyUser } from '../users/users.ts';
import { parseCode } from './challenge-code.ts';
import type { EnrolledFactors } from './enrolled-factors.ts';
import { type EnrollingLogin, enrolmentFailures } from './enrolment-failures.ts';
import { newEnrolmentId } from './enrolment-id.ts';
import type { EnrolmentQuotas } from './enrolment-quotas.ts';
import { otpauthUri } from './otpauth-uri.ts';
import { qrSvg } from './qr-svg.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { newTotpSecret, verifyTotp } from './totp.ts';

/** Longer than `RECENT_SECONDS`, so that an enrolment stays pending as long as its login is recent. */
const PENDING_MS = 600_000;

/** A new secret, in the forms that users and their apps can read. */
export interface BegunEnrolment {
  /** Base32 of 20 bytes. */
  readonly secret: string;
  readonly otpauthUri: string;
  readonly qrSvg: string;
}

/** A factor that was enrolled by this call. */
export interface ConfirmedEnrolment {
  readonly enrolmentId: string;
  /** Shown only this once. */
  readonly recoveryCodes: readonly string[];
}

/** The session in which a user enrols a factor, and its client. */
type EnrollingSession = Omit<EnrollingLogin, 'userId'>;

/**
 * Enrolment of second factors, for the routes. `begin` and `confirm` emit `enrolment.failed` for each rejection.
 *
 * Security: the caller must check that the user has just logged in.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface FactorEnrolment {
  /**
   * Returns a new secret. Until `confirm`, the user keeps the factor that they have, if any. The secret replaces a
   * pending secret of this session; enrolments of other sessions of the user stay pending.
   *
   * @throws {AuthError} `limit_reached` if the user store has a factor of the user, `too_many_requests`
   */
  begin(user: AnyUser, session: EnrollingSession): Promise<BegunEnrolment>;
  /** Whether the user has an enrolled factor. */
  isEnrolled(user: AnyUser): Promise<boolean>;
  /**
   * Makes the pending secret of this session the factor of the user, and replaces an older factor. Drops the pending
   * secrets of other sessions. Of several parallel calls, one gets the codes, and the others are rejected.
   *
   * @throws {AuthError} `invalid_grant` for a wrong code, `not_found` if this session has no pending secret,
   * `limit_reached` and `too_many_requests` like `begin`
   */
  confirm(
    user: AnyUser,
    session: EnrollingSession,
    code: string | number,
  ): Promise<ConfirmedEnrolment>;
  /** Undoes a `confirm`: removes the factor of this enrolment, but no factor that was enrolled after it. */
  withdraw(user: AnyUser, enrolmentId: string, client: ClientInfo): Promise<void>;
  /** @throws {AuthError} `not_found` if the user has no enrolled factor */
  remove(user: AnyUser, client: ClientInfo): Promise<void>;
  /**
   * Replaces all recovery codes by new ones, which are returned only this once.
   *
   * @throws {AuthError} `not_found` if the user has no enrolled factor
   */
  replaceRecoveryCodes(user: AnyUser, client: ClientInfo): Promise<readonly string[]>;
}

export interface FactorEnrolmentDeps {
  readonly store: MfaStore;
  readonly enrolled: Pick<EnrolledFactors, 'encrypt' | 'decrypt'>;
  readonly quotas: EnrolmentQuotas;
  /** Shown by authenticator apps. */
  readonly issuerName: string;
  readonly emit: (event: SecurityEvent) => void;
}

export function createFactorEnrolment(deps: FactorEnrolmentDeps): FactorEnrolment {
  const { store, enrolled, quotas, issuerName, emit } = deps;
  const fail = enrolmentFailures(emit);

  return {
    async begin(user, { sessionId, client }) {
      const { id: userId } = user;
      const login = { userId, sessionId, client };
      if (user.mfa) throw fail.managedElsewhere(login);
      await quotas.admitBeginning(userId, sessionId).catch((error: unknown) => {
        throw fail.beyondQuota(login, error);
      });
      const secret = await newTotpSecret();
      const uri = await otpauthUri(user, { totpSecret: secret, issuerName });
      const enrolment = { secret, otpauthUri: uri, qrSvg: await qrSvg(uri) };
      const encryptedSecret = enrolled.encrypt(userId, secret);
      const enrolmentId = newEnrolmentId(sessionId);
      await store.begin(userId, { sessionId, enrolmentId, encryptedSecret, ttlMs: PENDING_MS });
      return enrolment;
    },

    async confirm(user, { sessionId, client }, typed) {
      const { digits } = parseCode(typed, ['totp']);
      const { id: userId } = user;
      const login = { userId, sessionId, client };
      if (user.mfa) throw fail.managedElsewhere(login);
      const pending = await store.findPending(userId, sessionId);
      if (pending === null) throw fail.nonePending(login);
      const secret = enrolled.decrypt(userId, pending.encryptedSecret);
      await quotas.admitCode(sessionId).catch((error: unknown) => {
        throw fail.beyondQuota(login, error);
      });
      const proof = await verifyTotp(secret, digits, pending.nowMs);
      if (proof.outcome === 'wrong') throw fail.wrongCode(login);
      const { enrolmentId } = pending;
      const { codes, recoveryCodeHashes } = await hashedCodesFor(userId);
      const isConfirmed = await store.confirm(userId, {
        sessionId,
        enrolmentId,
        recoveryCodeHashes,
      });
      if (!isConfirmed) throw fail.nonePending(login);
      emit({ type: 'factor.enrolled', userId, ...client });
      return { enrolmentId, recoveryCodes: codes };
    },

    async isEnrolled({ id: userId }) {
      return (await store.find(userId)) !== null;
    },

    async withdraw({ id: userId }, enrolmentId, client) {
      const isRemoved = await store.removeEnrolled(userId, enrolmentId);
      if (isRemoved) emit({ type: 'factor.removed', userId, actor: 'user', ...client });
    },

    async remove({ id: userId }, client) {
      if (!(await store.remove(userId))) throw notFound();
      emit({ type: 'factor.removed', userId, actor: 'user', ...client });
    },

    async replaceRecoveryCodes({ id: userId }, client) {
      const { codes, recoveryCodeHashes } = await hashedCodesFor(userId);
      const isReplaced = await store.replaceRecoveryCodes(userId, recoveryCodeHashes);
      if (!isReplaced) throw notFound();
      emit({ type: 'recovery_codes.replaced', userId, ...client });
      return codes;
    },
  };
}

async function hashedCodesFor(userId: string) {
  const codes = await newRecoveryCodes();
  return { codes, recoveryCodeHashes: codes.map((code) => hashRecoveryCode(userId, code)) };
}
