import { hash } from 'node:crypto';
import type { ChallengeRef, SessionRef } from '@latchhook/core/storage';

/** In base64url: 132 bits of SHA-256, so that no two users ever share a tag. */
const TAG_LENGTH = 22;

interface UserKeys {
  /**
   * Hash: `sessionVersion` and `revokedAllAtMs` of the last `revokeAll`, `totpStep` (the last used step), `failures`,
   * `lockedUntilMs`, `suspended`.
   */
  readonly user: string;
  /** Sorted set: the ids of live sessions, scored by when they end (ms). A session is live while it is in this set. */
  readonly live: string;
  /** Sorted set: the same ids, scored by the last rotation (ms). */
  readonly order: string;
}

interface SessionKeys extends UserKeys {
  /** Hash: `grant` (JSON), `createdAtMs`, `expiresAtMs`, `rotatedAtMs`, `generation`, `replays`. */
  readonly session: string;
}

interface ChallengeKeys extends UserKeys {
  /**
   * Hash: `context` (JSON), `expiresAtMs`, `sessionVersion`, `attempts`, and once the challenge is completed `usedBy`,
   * the id of the session that it started.
   */
  readonly challenge: string;
}

interface FactorKeys {
  /**
   * Hash: `userId`, `encryptedSecret`, `confirmedAtMs`, `enrolmentId` and `confirmedWith` (the call that confirmed it),
   * `codesGiven` (a digest of the codes that were issued last). It has no time to live because without the factor the
   * password alone would open the user's account.
   */
  readonly factor: string;
  /** Set: hashes of the unused recovery codes. It lasts as long as the factor. */
  readonly codes: string;
  /** Hash, by session id: JSON with `enrolmentId`, `encryptedSecret` and `expiresAtMs`. */
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
    return keysAt(this.#rootOf(userId));
  }

  ofSession({ userId, sessionId }: SessionRef): SessionKeys {
    const root = this.#rootOf(userId);
    return { session: `${root}:session:${sessionId}`, ...keysAt(root) };
  }

  /** The keys of a session that starts unless its user has a factor. */
  ofLogin({ userId, sessionId }: SessionRef): SessionKeys & Omit<FactorKeys, 'pending'> {
    const root = this.#rootOf(userId);
    const factor = { factor: `${root}:factor`, codes: `${root}:codes` };
    return { session: `${root}:session:${sessionId}`, ...factor, ...keysAt(root) };
  }

  ofChallenge({ userId, challengeId }: ChallengeRef): ChallengeKeys {
    const root = this.#rootOf(userId);
    return { challenge: `${root}:challenge:${challengeId}`, ...keysAt(root) };
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

function keysAt(root: string): UserKeys {
  return { user: `${root}:user`, live: `${root}:live`, order: `${root}:order` };
}
