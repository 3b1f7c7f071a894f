import { setTimeout as pause } from 'node:timers/promises';
import {
  type AttemptLimits,
  CallDeadline,
  type ChallengeContext,
  type ChallengeRef,
  type ChallengeStore,
  type Clock,
  type CompleteOutcome,
  type CreateChallengeOutcome,
  type CreateSessionOutcome,
  type LimiterFactory,
  type LimiterState,
  type NewSession,
  type ReserveOutcome,
  type RotateOutcome,
  type SessionRecord,
  type SessionStore,
  type Storage,
  StorageUnavailableError,
  systemClock,
} from '@latchhook/core';
import Database from 'libsql';

/** For so long a call tries to get the lock. Core waits for a second and a half, and answers 503 then. */
const LOCK_WAIT_MS = 1000;
const OPEN_WAIT_MS = 10_000;
const TRY_AGAIN_MS = 1;

/** What was ended is remembered for so long: a `create` that is sent again must not revive it. */
const TOMBSTONE_MS = 86_400_000;

/** Forgotten by each transition that adds an item: more than one, or the file would only ever grow. */
const FORGOTTEN_AT_ONCE = 4;

/** Everything is an item that belongs to somebody. From `endsAtMs` on it counts for nothing, and may be forgotten. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS items (
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  endsAtMs INTEGER,
  PRIMARY KEY (owner, kind, id)
) STRICT;
CREATE INDEX IF NOT EXISTS itemsToForget ON items (endsAtMs) WHERE endsAtMs IS NOT NULL;
`;

/** What an item of each kind holds. JSON-safe, and never changed in place. */
interface Kinds {
  /** One for each user who had to do with a second factor or a `revokeAll`. Has no id, and is kept for good. */
  readonly user: {
    readonly revokedAllAtMs: number;
    readonly failures: number;
    readonly lockedUntilMs: number;
    readonly isSuspended: boolean;
    readonly lastTotpStep: number;
  };
  readonly session: {
    readonly record: SessionRecord;
    readonly idleMs: number;
    readonly replays: number;
    readonly isEnded: boolean;
  };
  readonly challenge: {
    readonly ref: ChallengeRef;
    readonly context: ChallengeContext;
    readonly endsAtMs: number;
    readonly attempts: number;
    readonly completedBy: string | null;
    readonly isEnded: boolean;
  };
  readonly counter: { readonly points: number; readonly endsAtMs: number };
}

/** How {@link openSqliteStorage} keeps things. */
export interface SqliteStorageOptions {
  /** Path of the database, made where there is none. On a local disk: its locks do not work over a network. */
  readonly file: string;
  /** Where the time comes from. Default: the system's clock, which all processes of one machine share. */
  readonly clock?: Clock;
  /**
   * `FULL` has each transition wait for the disk, so that a revocation that was answered outlasts a power cut.
   * With `NORMAL` a power cut may undo what came last, and a transition takes a tenth of the time. A process
   * that dies undoes nothing either way. Default: `FULL`.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/** A storage with a connection of its own. */
export interface SqliteStorage extends Storage {
  /** Closes the connection. Calls that come later are refused. */
  close(): void;
}

/**
 * Keeps sessions, challenges and the counters of login throttling in one SQLite file.
 *
 * Fit for the processes of **one machine**: there is one writer at a time over the whole file. A transition
 * runs on the thread that serves requests, its wait for the disk included; while another process writes, that
 * thread goes on serving.
 *
 * Atomicity: a transition is one transaction that has the lock before it reads.
 *
 * Concurrency: a call that was given up is not attempted afterwards, and a statement is done when it returns: so
 * nothing lands late.
 *
 * Security: the file holds no token, but user ids, addresses and user agents. It is for the app to read alone.
 *
 * @throws {SqliteError} where the file cannot be made
 * @throws {StorageUnavailableError} where the file stays locked for ten seconds
 */
export async function openSqliteStorage({
  file,
  clock = systemClock,
  synchronous = 'FULL',
}: SqliteStorageOptions): Promise<SqliteStorage> {
  // The connection is ours alone: on a shared one, somebody else's transaction might be open. And SQLite itself
  // waits for no lock, since it would put the whole process to sleep: in vain where this very process holds it.
  const database = new Database(file, { timeout: 0 });
  await unlessLocked(() => {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    database.transaction(() => database.exec(SCHEMA)).immediate();
  }, new CallDeadline('SQLite', OPEN_WAIT_MS));

  const items = new Items(database, clock);
  return {
    name: 'sqlite',
    sessions: sessionsOf(items),
    challenges: challengesOf(items),
    // Windows run on the system's clock in every storage: it is not they that a test turns the clock for.
    limiters: limitersOf(new Items(database, systemClock)),
    close: () => void database.close(),
  };
}

/** The only part that knows SQLite. For a store of another kind, write it anew and keep what follows. */
class Items {
  readonly #database: Database.Database;
  readonly #clock: Clock;
  readonly #statements = new Map<string, Database.Statement>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(database: Database.Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /**
   * Runs `decide` as one transaction, all or nothing. Nothing is awaited in it.
   *
   * IMMEDIATE has the lock before anything is read: of two that read first, both would find the last place free.
   * The time is read behind the lock, so that times never contradict the order.
   */
  transition<T>(decide: (nowMs: number) => T): Promise<T> {
    const transact = this.#database.transaction(() => decide(this.nowMs()));
    return this.#inTurn(() => transact.immediate());
  }

  /** For one `find` or one `list`: a statement sees all that was answered before, and waits for no writer. */
  look<T>(find: (nowMs: number) => T): Promise<T> {
    return unlessLocked(() => find(this.nowMs()), new CallDeadline('SQLite', LOCK_WAIT_MS));
  }

  find<K extends keyof Kinds>(kind: K, owner: string, id: string): Kinds[K] | undefined {
    const sql = 'SELECT state FROM items WHERE kind = ? AND owner = ? AND id = ?';
    return this.#all<K>(sql, kind, keyOf(owner), id)[0];
  }

  list<K extends keyof Kinds>(kind: K, owner: string): readonly Kinds[K][] {
    const sql = 'SELECT state FROM items WHERE kind = ? AND owner = ? ORDER BY rowid';
    return this.#all<K>(sql, kind, keyOf(owner));
  }

  put<K extends keyof Kinds>(
    kind: K,
    owner: string,
    id: string,
    state: Kinds[K],
    endsAtMs: number | null,
  ): void {
    this.#prepared(
      `INSERT INTO items (kind, owner, id, state, endsAtMs) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET state = excluded.state, endsAtMs = excluded.endsAtMs`,
    ).run([kind, keyOf(owner), id, JSON.stringify(state), endsAtMs]);
  }

  /** A few each time, whoever they belong to: that keeps up with whatever is added, and never takes long. */
  forgetSome(nowMs: number): void {
    this.#prepared(
      `DELETE FROM items WHERE rowid IN
      (SELECT rowid FROM items WHERE endsAtMs <= ? ORDER BY endsAtMs LIMIT ${FORGOTTEN_AT_ONCE})`,
    ).run([nowMs]);
  }

  #all<K extends keyof Kinds>(sql: string, ...values: readonly string[]): readonly Kinds[K][] {
    const rows = this.#prepared(sql).all(values) as readonly { readonly state: string }[];
    return rows.map(({ state }) => JSON.parse(state));
  }

  #prepared(sql: string): Database.Statement {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** One after the other: of the calls that wait in this process, one alone keeps asking for the lock. */
  #inTurn<T>(attempt: () => T): Promise<T> {
    const deadline = new CallDeadline('SQLite', LOCK_WAIT_MS);
    const turn = this.#lastTurn.then(() => unlessLocked(attempt, deadline));
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }
}

async function unlessLocked<T>(attempt: () => T, deadline: CallDeadline): Promise<T> {
  // Asked before each attempt, not after it: what may have been answered 503 must not happen after all.
  while (!deadline.passed) {
    try {
      return attempt();
    } catch (error) {
      if (!isLocked(error)) throw unavailable(error);
    }
    await pause(TRY_AGAIN_MS);
  }
  throw unavailable(new Error('the file stays locked'));
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function unavailable(error: unknown): StorageUnavailableError {
  const message = error instanceof Error ? error.message : String(error);
  return new StorageUnavailableError(`SQLite is unavailable: ${message}`, { cause: error });
}

/** libsql takes every lone surrogate for the same character, and two users for one. JSON escapes them. */
function keyOf(owner: string): string {
  return JSON.stringify(owner);
}

/** The factor of a user who has not failed. The last TOTP step is not in it: a used code stays used. */
const UNLOCKED = { failures: 0, lockedUntilMs: 0, isSuspended: false } as const;
const NEWCOMER: Kinds['user'] = { ...UNLOCKED, revokedAllAtMs: 0, lastTotpStep: 0 };

function userOf(items: Items, userId: string): Kinds['user'] {
  return items.find('user', userId, '') ?? NEWCOMER;
}

function changeUser(items: Items, userId: string, change: Partial<Kinds['user']>): void {
  items.put('user', userId, '', { ...userOf(items, userId), ...change }, null);
}

function sessionsOf(items: Items): SessionStore {
  return {
    async create(session, { maxPerUser }) {
      // Reckoned before the lock is waited for: a login grows older meanwhile.
      const beganAtMs = items.nowMs() - session.authenticationMs;
      return items.transition((nowMs): CreateSessionOutcome => {
        const { revokedAllAtMs } = userOf(items, session.userId);
        if (beganAtMs <= revokedAllAtMs) return { outcome: 'superseded' };
        return { outcome: 'created', session: startSession(items, session, maxPerUser, nowMs) };
      });
    },

    rotate: (request) =>
      items.transition((nowMs): RotateOutcome => {
        const { userId, sessionId, generation, idleMs } = request;
        const session = items.find('session', userId, sessionId);
        if (session === undefined) return { outcome: 'unknown' };
        if (session.isEnded) return { outcome: 'revoked' };
        const { record, replays } = session;
        const idleForMs = nowMs - record.rotatedAtMs;
        if (nowMs >= record.expiresAtMs || idleForMs >= idleMs) return { outcome: 'expired' };

        const ahead = generation - record.generation;
        if (ahead > request.rollForwardLimit) return { outcome: 'unknown' };
        if (ahead >= 0) {
          const next = { ...record, generation: generation + 1, rotatedAtMs: nowMs };
          putSession(items, { ...session, record: next, idleMs, replays: 0 });
          return { outcome: ahead === 0 ? 'rotated' : 'rolled_forward', session: next, nowMs };
        }
        // The immediate predecessor only: were older ones let in, a thief in lock-step would go unnoticed.
        if (ahead === -1 && idleForMs <= request.graceMs) {
          if (replays >= request.replayLimit) return { outcome: 'busy' };
          putSession(items, { ...session, replays: replays + 1 });
          return { outcome: 'replayed', session: record, nowMs };
        }
        endSession(items, session, nowMs);
        return { outcome: 'reused' };
      }),

    isLive: ({ userId, sessionId }) =>
      items.look((nowMs) => {
        const session = items.find('session', userId, sessionId);
        return session !== undefined && isAlive(session, nowMs);
      }),

    revoke: ({ userId, sessionId }) =>
      items.transition((nowMs) => {
        const session = items.find('session', userId, sessionId);
        if (session === undefined) return false;
        endSession(items, session, nowMs);
        return isAlive(session, nowMs);
      }),

    revokeAll: (userId) => items.transition((nowMs) => endAllBut(items, userId, null, nowMs)),

    revokeOthers: ({ userId, sessionId }) =>
      items.transition((nowMs) => endAllBut(items, userId, sessionId, nowMs)),

    list: (userId) =>
      items.look((nowMs) => liveSessions(items, userId, nowMs).map(({ record }) => record)),
  };
}

function endsAtMs({ record, idleMs }: Kinds['session']): number {
  return Math.min(record.expiresAtMs, record.rotatedAtMs + idleMs);
}

function isAlive(session: Kinds['session'], nowMs: number): boolean {
  return !session.isEnded && nowMs < endsAtMs(session);
}

/** Most recently rotated first, and of one millisecond the newer one. */
function liveSessions(items: Items, userId: string, nowMs: number): Kinds['session'][] {
  return items
    .list('session', userId)
    .filter((session) => isAlive(session, nowMs))
    .reverse()
    .sort((a, b) => b.record.rotatedAtMs - a.record.rotatedAtMs);
}

function putSession(items: Items, session: Kinds['session'], forgetAtMs = endsAtMs(session)): void {
  const { userId, sessionId } = session.record;
  items.put('session', userId, sessionId, session, forgetAtMs);
}

function endSession(items: Items, session: Kinds['session'], nowMs: number): void {
  if (session.isEnded) return;
  const forgetAtMs = Math.min(endsAtMs(session), nowMs + TOMBSTONE_MS);
  putSession(items, { ...session, isEnded: true }, forgetAtMs);
}

/** Ends what there is, and whatever logins under way would bring. One session is spared, if it lives. */
function endAllBut(items: Items, userId: string, spared: string | null, nowMs: number): void {
  // For users never heard of, too. The later time: the clock may have been set back.
  const { revokedAllAtMs } = userOf(items, userId);
  changeUser(items, userId, { revokedAllAtMs: Math.max(revokedAllAtMs, nowMs) });
  for (const session of items.list('session', userId)) {
    const isSpared = session.record.sessionId === spared && isAlive(session, nowMs);
    if (!isSpared) endSession(items, session, nowMs);
  }
  for (const challenge of items.list('challenge', userId)) {
    putChallenge(items, { ...challenge, isEnded: true });
  }
}

/** What a login without a second factor and the right answer to a challenge have in common. */
function startSession(
  items: Items,
  session: NewSession,
  maxPerUser: number,
  nowMs: number,
): SessionRecord {
  const { userId, sessionId, idleMs } = session;
  const known = items.find('session', userId, sessionId);
  if (known !== undefined) return known.record;
  // Before the new one is in, so that a tie within one millisecond cannot end that one.
  const excess = liveSessions(items, userId, nowMs).slice(Math.max(0, maxPerUser - 1));
  for (const old of excess) endSession(items, old, nowMs);
  const record = firstRecord(session, nowMs);
  putSession(items, { record, idleMs, replays: 0, isEnded: false });
  items.forgetSome(nowMs);
  return record;
}

/** Field by field: what is handed over may carry more. */
function firstRecord(session: NewSession, nowMs: number): SessionRecord {
  const { userId, sessionId, scopes, accountId, amr, authTimeMs, absoluteMs } = session;
  const { clientAddress, userAgent } = session;
  const grant = { userId, sessionId, scopes, accountId, amr, authTimeMs, clientAddress, userAgent };
  const expiresAtMs = nowMs + absoluteMs;
  return { ...grant, createdAtMs: nowMs, expiresAtMs, rotatedAtMs: nowMs, generation: 1 };
}

function challengesOf(items: Items): ChallengeStore {
  return {
    async create({ userId, challengeId, context, ttlMs, authenticationMs }) {
      const ref = { userId, challengeId };
      const beganAtMs = items.nowMs() - authenticationMs;
      return items.transition((nowMs): CreateChallengeOutcome => {
        if (beganAtMs <= userOf(items, userId).revokedAllAtMs) return { outcome: 'superseded' };
        if (items.find('challenge', userId, challengeId) === undefined) {
          const untouched = { attempts: 0, completedBy: null, isEnded: false };
          putChallenge(items, { ref, context, endsAtMs: nowMs + ttlMs, ...untouched });
          items.forgetSome(nowMs);
        }
        return { outcome: 'created' };
      });
    },

    reserveAttempt: (ref, limits) =>
      items.transition((nowMs): ReserveOutcome => {
        const user = userOf(items, ref.userId);
        // No time lifts a suspension: the longest wait that there is stands for it.
        if (user.isSuspended) {
          return { outcome: 'locked', retryAfterMs: limits.maxLockMs, suspended: true };
        }
        if (nowMs < user.lockedUntilMs) {
          return { outcome: 'locked', retryAfterMs: user.lockedUntilMs - nowMs, suspended: false };
        }
        const challenge = findAnswerable(items, ref, nowMs);
        if (challenge === undefined || challenge.completedBy !== null) return { outcome: 'gone' };
        // Exhausted, yet kept: the last attempt that was reserved may be on its way to `complete`.
        if (challenge.attempts >= limits.perChallenge) return { outcome: 'gone' };

        const attempts = challenge.attempts + 1;
        putChallenge(items, { ...challenge, attempts });
        // Counted as failed, since its caller may die before it says so.
        const failures = user.failures + 1;
        const lock = lockAfter(failures, limits, nowMs);
        changeUser(items, ref.userId, { failures, ...lock });
        return {
          outcome: 'reserved',
          context: challenge.context,
          attemptsRemaining: limits.perChallenge - attempts,
          lockedUntilMs: lock?.lockedUntilMs ?? null,
          nowMs,
        };
      }),

    complete: (request) =>
      items.transition((nowMs): CompleteOutcome => {
        const { userId, totpStep, session, maxSessionsPerUser } = request;
        const { sessionId } = session;
        const challenge = findAnswerable(items, request, nowMs);
        if (challenge === undefined) return { outcome: 'gone' };
        if (challenge.completedBy !== null) {
          const known = items.find('session', userId, sessionId);
          const isResent = challenge.completedBy === sessionId;
          if (!isResent || !known || !isAlive(known, nowMs)) return { outcome: 'gone' };
          return { outcome: 'completed', session: known.record };
        }
        const { lastTotpStep } = userOf(items, userId);
        if (totpStep !== null && totpStep <= lastTotpStep) return { outcome: 'step_used' };
        putChallenge(items, { ...challenge, completedBy: sessionId });
        changeUser(items, userId, { ...UNLOCKED, lastTotpStep: totpStep ?? lastTotpStep });
        const record = startSession(items, session, maxSessionsPerUser, nowMs);
        return { outcome: 'completed', session: record };
      }),

    unlock: (userId) => items.transition(() => changeUser(items, userId, UNLOCKED)),
  };
}

function putChallenge(items: Items, challenge: Kinds['challenge']): void {
  const { userId, challengeId } = challenge.ref;
  items.put('challenge', userId, challengeId, challenge, challenge.endsAtMs);
}

function findAnswerable(
  items: Items,
  { userId, challengeId }: ChallengeRef,
  nowMs: number,
): Kinds['challenge'] | undefined {
  const challenge = items.find('challenge', userId, challengeId);
  if (challenge === undefined || challenge.isEnded) return undefined;
  return nowMs < challenge.endsAtMs ? challenge : undefined;
}

function lockAfter(
  failures: number,
  { perUser, lockMs, maxLockMs, suspendAfter }: AttemptLimits,
  nowMs: number,
): Pick<Kinds['user'], 'lockedUntilMs' | 'isSuspended'> | undefined {
  if (failures >= suspendAfter) return { lockedUntilMs: nowMs + maxLockMs, isSuspended: true };
  if (failures % perUser !== 0) return undefined;
  const doubledMs = lockMs * 2 ** (failures / perUser - 1);
  return { lockedUntilMs: nowMs + Math.min(maxLockMs, doubledMs), isSuspended: false };
}

function limitersOf(items: Items): LimiterFactory {
  return ({ keyPrefix, duration }) => {
    const find = (key: string, nowMs: number): LimiterState | null => {
      const counter = items.find('counter', keyPrefix, key);
      if (counter === undefined || counter.endsAtMs <= nowMs) return null;
      return { consumedPoints: counter.points, msBeforeNext: counter.endsAtMs - nowMs };
    };
    const put = (key: string, points: number, endsAtMs: number): void =>
      items.put('counter', keyPrefix, key, { points, endsAtMs }, endsAtMs);
    return {
      get: (key) => items.look((nowMs) => find(key, nowMs)),
      penalty: (key, points = 1) =>
        items.transition((nowMs) => {
          const opened = { consumedPoints: 0, msBeforeNext: duration * 1000 };
          const { consumedPoints, msBeforeNext } = find(key, nowMs) ?? opened;
          put(key, consumedPoints + points, nowMs + msBeforeNext);
          items.forgetSome(nowMs);
          return { consumedPoints: consumedPoints + points, msBeforeNext };
        }),
      block: (key, seconds) => items.transition((nowMs) => put(key, 1, nowMs + seconds * 1000)),
      delete: (key) =>
        items.transition((nowMs) => {
          const wasOpen = find(key, nowMs) !== null;
          put(key, 0, nowMs);
          return wasOpen;
        }),
    };
  };
}
