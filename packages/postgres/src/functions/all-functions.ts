import type { SqlDefinition } from '../define-function.ts';
import { CREDENTIAL_FUNCTIONS } from './credential-functions.ts';
import { boundWaits } from './internal/bound-waits.ts';
import { lockUser } from './internal/lock-user.ts';
import { nowUnlessExpired } from './internal/now-unless-expired.ts';
import { LIMITER_FUNCTIONS } from './limiter-functions.ts';
import { QUEUE_FUNCTIONS } from './queue-functions.ts';
import { SESSION_FUNCTIONS } from './session-functions.ts';
import { STARTUP_FUNCTIONS } from './startup-functions.ts';
import { WEBHOOK_FUNCTIONS } from './webhook-functions.ts';

/**
 * All functions that every version redefines, in any order: PostgreSQL looks up the functions that a body calls when it
 * runs.
 */
export const ALL_FUNCTIONS: readonly SqlDefinition[] = [
  boundWaits,
  nowUnlessExpired,
  lockUser,
  ...SESSION_FUNCTIONS,
  ...CREDENTIAL_FUNCTIONS,
  ...LIMITER_FUNCTIONS,
  ...QUEUE_FUNCTIONS,
  ...WEBHOOK_FUNCTIONS,
  ...STARTUP_FUNCTIONS,
];
