import type { SqlDefinition } from '../define-function.ts';
import { completeChallengeFunction } from './challenges/complete-challenge.ts';
import { createChallengeFunction } from './challenges/create-challenge.ts';
import { reserveAttemptFunction } from './challenges/reserve-attempt.ts';
import { unlockFactorFunction } from './challenges/unlock-factor.ts';
import { isAlive } from './internal/is-alive.ts';
import { sessionRecord } from './internal/session-record.ts';
import { staleLogin } from './internal/stale-login.ts';
import { startSession } from './internal/start-session.ts';
import { createSessionFunction } from './sessions/create-session.ts';
import { isSessionLiveFunction } from './sessions/is-session-live.ts';
import { listSessionsFunction } from './sessions/list-sessions.ts';
import { revokeSessionFunction } from './sessions/revoke-session.ts';
import { revokeSessionsFunction } from './sessions/revoke-sessions.ts';
import { rotateSessionFunction } from './sessions/rotate-session.ts';

/** The functions of sessions and challenges. */
export const SESSION_FUNCTIONS: readonly SqlDefinition[] = [
  isAlive,
  staleLogin,
  sessionRecord,
  startSession,
  createSessionFunction,
  rotateSessionFunction,
  isSessionLiveFunction,
  revokeSessionFunction,
  revokeSessionsFunction,
  listSessionsFunction,
  createChallengeFunction,
  reserveAttemptFunction,
  completeChallengeFunction,
  unlockFactorFunction,
];
