import type { MaybePromise } from '@latchhook/core';
import type {
  ChallengeRef,
  CodeAttemptLimits,
  NewSession,
  SessionRecord,
  SessionRef,
} from '@latchhook/core/storage';
import type { LoginStores } from '../fixtures/login-fixture.ts';
import {
  completeRequest,
  DAY_MS,
  MINUTE_MS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../samples/login-samples.ts';
import type { Step } from './assert-same-steps.ts';
import { RandomChoices } from './random-choices.ts';

type LoginStep = Step<LoginStores>;

/** Low, so that random steps reach every limit. */
const LIMITS: CodeAttemptLimits = {
  perChallenge: 2,
  perUser: 3,
  lockMs: MINUTE_MS,
  maxLockMs: 4 * MINUTE_MS,
  suspendAfter: 12,
};
const MAX_PER_USER = 3;
const LIFETIME_MS = 3 * DAY_MS;

/**
 * Random steps with results that the contracts define: an id is used again only to repeat a command, and sessions
 * expire by `absoluteMs` before `idleMs` has passed.
 */
export class RandomTransitions {
  readonly #random: RandomChoices;
  readonly #listSessions: (userId: string) => Promise<readonly SessionRecord[]>;
  readonly #sessions: SessionRef[] = [{ userId: 'user-nobody', sessionId: 'never' }];
  readonly #challenges: ChallengeRef[] = [{ userId: 'user-nobody', challengeId: 'never' }];
  #totpStep = 1;

  /** @param listSessions - Lists the sessions of a user, so that current and older tokens can be presented. */
  constructor(seed: number, listSessions: (userId: string) => Promise<readonly SessionRecord[]>) {
    this.#random = new RandomChoices(seed);
    this.#listSessions = listSessions;
  }

  async next(): Promise<LoginStep> {
    const userId = this.#random.pick(['user-ada', 'user-ada', 'user-grace']);
    const make = this.#random.pickWeighted<() => MaybePromise<LoginStep>>([
      [2, () => this.#wait()],
      [2, () => this.#createSession(userId)],
      [8, () => this.#presentToken(userId)],
      [2, () => this.#readSessions(userId)],
      [2, () => this.#revokeOrUnlock(userId)],
      [4, () => this.#createChallenge(userId)],
      [5, () => this.#reserveAttempt()],
      [3, () => this.#completeChallenge()],
    ]);
    return make();
  }

  #wait(): LoginStep {
    const minutes = [1, 1, 1, 2, 4, 5, 12 * 60];
    return {
      name: 'wait',
      ms: this.#random.pick(minutes) * MINUTE_MS - this.#random.pick([0, 1, 2]),
    };
  }

  #createSession(userId: string): LoginStep {
    const session = this.#newSession(userId, `session ${this.#sessions.length}`);
    const login = { ...session, loginAgeMs: this.#loginAgeMs() };
    const limits = { maxPerUser: MAX_PER_USER };
    return {
      name: `create ${login.sessionId}${ofAge(login)}`,
      userId,
      apply: ({ sessions }) => sessions.create(login, limits),
    };
  }

  async #presentToken(userId: string): Promise<LoginStep> {
    const endedRef = { ...this.#recentSession(), generation: 2 };
    const [newest = endedRef, ...others] = await this.#listSessions(userId);
    const ref = this.#random.pick([newest, newest, newest, newest, ...others, endedRef]);
    // Mostly the newest generation or its predecessor; 6 ahead is beyond `rollForwardLimit`.
    const generation = ref.generation + this.#random.pick([0, 0, 0, -1, -1, -1, -1, -1, -2, 1, 6]);
    const limits = { idleMs: 2 * LIFETIME_MS, replayLimit: 2, rollForwardLimit: 5 };
    const request = rotateRequest(generation, ref, limits);
    return {
      name: `present ${generation} of ${ref.sessionId}`,
      userId: ref.userId,
      apply: ({ sessions }) => sessions.rotate(request),
    };
  }

  #readSessions(userId: string): LoginStep {
    const ref = this.#recentSession();
    return this.#random.pick<LoginStep>([
      { name: `list ${userId}`, userId, apply: ({ sessions }) => sessions.list(userId) },
      {
        name: `check whether ${ref.sessionId} is live`,
        userId: ref.userId,
        apply: ({ sessions }) => sessions.isLive(ref),
      },
    ]);
  }

  #revokeOrUnlock(userId: string): LoginStep {
    const ref = this.#recentSession();
    const revoke: LoginStep = {
      name: `revoke ${ref.sessionId}`,
      userId: ref.userId,
      apply: ({ sessions }) => sessions.revoke(ref),
    };
    return this.#random.pick<LoginStep>([
      revoke,
      revoke,
      {
        name: `revoke all of ${userId}`,
        userId,
        apply: ({ sessions }) => sessions.revokeAll(userId),
      },
      {
        name: `revoke all but ${ref.sessionId}`,
        userId: ref.userId,
        apply: ({ sessions }) => sessions.revokeOthers(ref),
      },
      { name: `unlock ${userId}`, userId, apply: ({ challenges }) => challenges.unlock(userId) },
    ]);
  }

  #createChallenge(userId: string): LoginStep {
    const loginAgeMs = this.#loginAgeMs();
    const change = { userId, loginAgeMs };
    const challenge = newChallenge(`challenge ${this.#challenges.length}`, change);
    this.#challenges.push(challenge);
    return {
      name: `create ${challenge.challengeId}${ofAge(challenge)}`,
      userId,
      apply: ({ challenges }) => challenges.create(challenge),
    };
  }

  /** Mostly 0. Otherwise the login began earlier, perhaps before a revocation. */
  #loginAgeMs(): number {
    return this.#random.pick([0, 0, 0, 1, 5, MINUTE_MS]);
  }

  #reserveAttempt(): LoginStep {
    const ref = this.#recentChallenge();
    return {
      name: `attempt ${ref.challengeId}`,
      userId: ref.userId,
      apply: ({ challenges }) => challenges.reserveAttempt(ref, LIMITS),
    };
  }

  #completeChallenge(): LoginStep {
    const ref = this.#recentChallenge();
    const sessionId = `session of ${ref.challengeId}, ${this.#random.pick([1, 1, 2])}`;
    const session = this.#newSession(ref.userId, sessionId);
    this.#totpStep += this.#random.pick([0, 1]);
    const totpStep = this.#random.pick([this.#totpStep, this.#totpStep - 1, null]);
    const change = { session, maxSessionsPerUser: MAX_PER_USER };
    const request = completeRequest(ref, sessionId, totpStep, change);
    return {
      name: `complete ${ref.challengeId} by step ${totpStep}, as ${sessionId}`,
      userId: ref.userId,
      apply: ({ challenges }) => challenges.complete(request),
    };
  }

  #newSession(userId: string, sessionId: string): NewSession {
    const change = { userId, absoluteMs: LIFETIME_MS, idleMs: 2 * LIFETIME_MS };
    const session = newSession(sessionId, change);
    this.#sessions.push(session);
    return session;
  }

  #recentSession(): SessionRef {
    return this.#random.pick(this.#sessions.slice(-6));
  }

  #recentChallenge(): ChallengeRef {
    return this.#random.pick(this.#challenges.slice(-3));
  }
}

/** How long ago the login began, as part of the name of a step. */
function ofAge({ loginAgeMs }: { readonly loginAgeMs: number }): string {
  return loginAgeMs === 0 ? '' : `, begun ${loginAgeMs} ms ago`;
}
