import {
  mapMethods,
  STORE_METHODS,
  type Storage,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { expect, onTestFinished } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import type { TestApp } from '../apps/test-app.ts';
import { handDelivery } from '../deliveries/hand-delivery.ts';
import { heldCalls } from '../storage/held-calls.ts';
import { SESSIONS } from './session-calls.ts';
import { errorOf } from './token-calls.ts';
import type { UserCalls } from './webhook-calls.ts';

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

/** Sends a request, and runs `act` after its change and before its second check of the session. */
export async function interruptAfterChange(
  send: () => Promise<HttpResponse>,
  act: () => Promise<unknown>,
): Promise<HttpResponse> {
  // Held only once the request waits for the users table: its first check has passed, so the second one is held.
  let secondCheck: Promise<void> | undefined;
  onTestFinished(sessionChecks.release);
  const response = interruptBeforeChange(send, async () => {
    secondCheck = sessionChecks.hold();
  });
  await expect.poll(() => secondCheck !== undefined).toBe(true);
  await secondCheck;
  await act();
  sessionChecks.release();
  return response;
}

/** Like {@link interruptAfterChange}, for a request that also checks the session right before its change. */
export function interruptAfterCheckedChange(
  send: () => Promise<HttpResponse>,
  act: () => Promise<unknown>,
): Promise<HttpResponse> {
  return interruptAfterChange(send, async () => {
    // The held check is the one before the change: lets it pass, and holds the one after the change.
    sessionChecks.release();
    await sessionChecks.hold();
    await act();
  });
}

/** Expects the response to a request whose session had ended before. */
export async function expectEnded(response: HttpResponse, calls: UserCalls): Promise<void> {
  const seenByClient = ({ status, body, headers }: HttpResponse) => [
    status,
    body,
    headers['www-authenticate'],
  ];
  expect(seenByClient(response)).toEqual(seenByClient(await calls.send('GET', SESSIONS)));
  expect(errorOf(response, 401).error).toBe('invalid_token');
}

/** Makes every check of a session fail for the rest of the test. */
export function failSessionChecks(): void {
  checksFail = true;
  onTestFinished(() => {
    checksFail = false;
  });
}

/** Revokes everything of Ada in the documented order. */
export async function revokeAllCredentials(app: TestApp): Promise<number> {
  await app.auth.sessions.revokeAll('ada');
  return app.auth.personalAccessTokens.revokeAll('ada');
}

/** The types of the events so far that begin with `prefix`. */
export function eventsOf(app: TestApp, prefix: string): readonly string[] {
  return app.events.map(({ type }) => type).filter((type) => type.startsWith(prefix));
}
