import {
  mapMethods,
  STORE_METHODS,
  type Storage,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { onTestFinished } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { handDelivery } from '../deliveries/hand-delivery.ts';
import { heldCalls } from '../storage/held-calls.ts';

/*
 * A request checks its session, then waits for the users table, then makes its change and checks the session again. The
 * functions below run `act` between two of these steps.
 */

const lookUps = heldCalls();
const sessionChecks = heldCalls();
let checksFail = false;

/** Options of an app whose requests can be interrupted. */
export const interruptible = {
  auth: { mfa: { enrolment: true }, webhooks: { worker: handDelivery() } },
  userStore: (users: TestApp['users']) => ({
    ...users,
    async findById(userId: string) {
      await lookUps.pass();
      return users.findById(userId);
    },
  }),
  wrapStorage: (storage: Storage): Storage => ({
    ...storage,
    sessions: {
      ...mapMethods(storage.sessions, STORE_METHODS.sessions, (call) => call()),
      async isLive(ref) {
        await sessionChecks.pass();
        if (checksFail) throw new StorageUnavailableError('switched off');
        return storage.sessions.isLive(ref);
      },
    },
  }),
};

/** Sends a request, and runs `act` after its first check of the session and before its change. */
export async function interruptBeforeChange(
  send: () => Promise<HttpResponse>,
  act: () => Promise<unknown>,
): Promise<HttpResponse> {
  const lookUpBegun = lookUps.hold();
  onTestFinished(lookUps.release);
  const response = send();
  await lookUpBegun;
  await act();
  lookUps.release();
  return response;
}

/**
 * Sends a request, and runs `act` after its change and before the check of the session that follows.
 *
 * @param options.checksBeforeChange - how many checks of the session the request makes after its look-up and before its
 *   change
 */
export async function interruptAfterChange(
  send: () => Promise<HttpResponse>,
  act: () => Promise<unknown>,
  { checksBeforeChange = 0 } = {},
): Promise<HttpResponse> {
  const lookUpBegun = lookUps.hold();
  onTestFinished(lookUps.release);
  onTestFinished(sessionChecks.release);
  const response = send();
  await lookUpBegun;
  // The first check, which precedes the look-up, has passed.
  let checkBegun = sessionChecks.hold();
  lookUps.release();
  for (let passed = 0; passed < checksBeforeChange; passed += 1) {
    await checkBegun;
    sessionChecks.release();
    checkBegun = sessionChecks.hold();
  }
  await checkBegun;
  await act();
  sessionChecks.release();
  return response;
}

/** Makes every check of a session fail for the rest of the test. */
export function failSessionChecks(): void {
  checksFail = true;
  onTestFinished(() => {
    checksFail = false;
  });
}
