import { hash } from 'node:crypto';
import type { ChallengeRef, SessionRef } from '@latchhook/core/storage';

/** The length of a user's tag in base64url. It holds 132 bits of SHA-256, so that no two users ever share a tag. */
const TAG_LENGTH = 22;

interface UserKeys {
  /**
   * Hash: `sessionVersion`, which increases when all sessions of the user (or all but one) are ended; `revokedAllAtMs`,
   * when that was done last; `totpStep`, the last used step; `failures`, the failed codes since the last success;
   * `lockedUntilMs`; `suspended`.
   */
  readonly user: string;
  /** Sorted set: the ids of live sessions, scored by when they end (ms). A session is live while it is in this set. */
  readonly live: string;
  /** Sorted set: the same ids, scored by the last rotation (ms). */
  readonly order: string;
}

interface SessionKeys extends UserKeys {
  /**
   * Hash: `grant` (JSON), `createdAtMs`, `expiresAtMs`, `rotatedAtMs`, `generation`, and `replays`, the number of
   * replays since the last rotation.
   */
  readonly session: string;
}

interface ChallengeKeys extends UserKeys {
  /**
   * Hash: `context` (JSON), `expiresAtMs`, `sessionVersion` (the user's when the challenge began), `attempts` (how many
   * were reserved), and once the challenge is completed `usedBy`, the id of the session that it started.
   */
  readonly challenge: string;
}

interface FactorKeys {
  /**
   * Hash: `userId`, `encryptedSecret`, `confirmedAtMs`, `enrolmentId`, and two digests of recovery codes, by which
   * repeated calls are recognised: `confirmedWith`, of the codes that the confirmation issued, and `codesGiven`, of the
   * codes that were issued last. It has no time to live because without the factor the password alone would open the
   * user's account.
   */
  readonly factor: string;
  /** Set: hashes of the unused recovery codes. It lasts as long as the factor. */
  readonly codes: string;
  /** Hash with a pending enrolment by session id: JSON with `enrolmentId`, `encryptedSecret` and `expiresAtMs`. */
  readonly pending: string;
}

/**
 * Names the keys of a user. They share a hash tag, and thus a slot of the Cluster, so that one script may access all of
 * them. The tag is a hash of the user id, which may contain any character, even braces.
 */
export class Keyspace {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  ofUser(userId: string): UserKeys {
    return userKeysAt(this.#rootOf(userId));
  }

  ofSession({ userId, sessionId }: SessionRef): SessionKeys {
    const root = this.#rootOf(userId);
    return { session: `${root}:session:${sessionId}`, ...userKeysAt(root) };
  }

  /** The keys of a session, and of the user's factor, which may prevent its start. */
  ofLogin({ userId, sessionId }: SessionRef): SessionKeys & Omit<FactorKeys, 'pending'> {
    const root = this.#rootOf(userId);
    const factor = { factor: `${root}:factor`, codes: `${root}:codes` };
    return { session: `${root}:session:${sessionId}`, ...factor, ...userKeysAt(root) };
  }

  ofChallenge({ userId, challengeId }: ChallengeRef): ChallengeKeys {
    const root = this.#rootOf(userId);
    return { challenge: `${root}:challenge:${challengeId}`, ...userKeysAt(root) };
  }

  ofFactor(userId: string): FactorKeys {
    const root = this.#rootOf(userId);
    return { factor: `${root}:factor`, codes: `${root}:codes`, pending: `${root}:pending` };
  }

  #rootOf(userId: string): string {
    const tag = hash('sha256', userId, 'base64url').slice(0, TAG_LENGTH);
    return `${this.#prefix}:{${tag}}`;
  }
}

function userKeysAt(root: string): UserKeys {
  return { user: `${root}:user`, live: `${root}:live`, order: `${root}:order` };
}
