import type { ClientInfo } from '../client-info/client-info.ts';
import { notFound } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { AnyUser } from '../users/users.ts';
import { getCode } from './challenge-code.ts';
import type { EnrolledFactors } from './enrolled-factors.ts';
import { type EnrollingLogin, enrolmentFailures } from './enrolment-failures.ts';
import { newEnrolmentId } from './enrolment-id.ts';
import type { EnrolmentQuotas } from './enrolment-quotas.ts';
import { otpauthUri } from './otpauth-uri.ts';
import { qrSvg } from './qr-svg.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { newTotpSecret, verifyTotp } from './totp.ts';

/** Longer than `RECENT_SECONDS`, so that an enrolment can be confirmed as long as its login is recent. */
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

/** The login by which a user enrols a factor, and where it comes from. */
export type EnrolmentLogin = Omit<EnrollingLogin, 'userId'>;

/**
 * Second factors that users enrol here, for the routes. `begin` and `confirm` emit `enrolment.failed` for each
 * rejection.
 *
 * Security: the caller must check that the user has just logged in.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface FactorEnrolment {
  /**
   * Hands out a new secret. Until a code proves it, the user keeps the factor that they have, if any. It replaces what
   * this session has begun before; enrolments of other sessions of the user stay pending.
   *
   * @throws {AuthError} `limit_reached` where the user store has a factor of the user, `too_many_requests`
   */
  begin(user: AnyUser, login: EnrolmentLogin): Promise<BegunEnrolment>;
  /** Whether the user has a factor that was enrolled here. */
  isEnrolled(user: AnyUser): Promise<boolean>;
  /**
   * Makes the pending secret of this session the user's factor, in place of an older one; pending secrets of other
   * sessions are dropped. Of parallel calls one gets codes, the others are rejected.
   *
   * @throws {AuthError} `invalid_grant` for a wrong code, `not_found` where this session has nothing pending (any
   * more), `limit_reached` and `too_many_requests` as `begin`
   */
  confirm(user: AnyUser, login: EnrolmentLogin, code: string | number): Promise<ConfirmedEnrolment>;
  /** Undoes a `confirm`, but keeps a factor that was enrolled since. */
  withdraw(user: AnyUser, enrolmentId: string, client: ClientInfo): Promise<void>;
  /** @throws {AuthError} `not_found` where no factor was enrolled */
  remove(user: AnyUser, client: ClientInfo): Promise<void>;
  /**
   * Replaces all recovery codes by new ones, and returns them, only this once.
   *
   * @throws {AuthError} `not_found` where no factor was enrolled
   */
  replaceRecoveryCodes(user: AnyUser, client: ClientInfo): Promise<readonly string[]>;
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
  readonly enrolled: Pick<EnrolledFactors, 'encrypt' | 'decrypt'>;
  readonly quotas: EnrolmentQuotas;
  /** Shown by authenticator apps. */
  readonly issuerName: string;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createFactorEnrolment(deps: FactorEnrolmentDeps): FactorEnrolment {
  const { store, enrolled, quotas, issuerName, clock, emit } = deps;
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
      const begun = { secret, otpauthUri: uri, qrSvg: await qrSvg(uri) };
      const encryptedSecret = enrolled.encrypt(userId, secret);
      const enrolmentId = newEnrolmentId(sessionId);
      await store.begin(userId, { sessionId, enrolmentId, encryptedSecret, ttlMs: PENDING_MS });
      return begun;
    },

    async confirm(user, { sessionId, client }, typed) {
      const { digits } = getCode(typed, ['totp']);
      const { id: userId } = user;
      const login = { userId, sessionId, client };
      if (user.mfa) throw fail.managedElsewhere(login);
      const pending = await store.findPending(userId, sessionId);
      if (pending === null) throw fail.nonePending(login);
      const secret = enrolled.decrypt(userId, pending.encryptedSecret);
      await quotas.admitCode(sessionId).catch((error: unknown) => {
        throw fail.beyondQuota(login, error);
      });
      const proof = await verifyTotp(secret, digits, clock.nowMs());
      if (proof.outcome === 'wrong') throw fail.wrongCode(login);
      const { enrolmentId } = pending;
      const { codes, recoveryCodeHashes } = await codesFor(userId);
      const confirmed = await store.confirm(userId, { sessionId, enrolmentId, recoveryCodeHashes });
      if (!confirmed) throw fail.nonePending(login);
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

async function codesFor(userId: string) {
  const codes = await newRecoveryCodes();
  return { codes, recoveryCodeHashes: codes.map((code) => hashRecoveryCode(userId, code)) };
}
