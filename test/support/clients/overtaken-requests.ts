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
 * Dispatch asks whether the session lives, then the request waits for the users table: time enough for the end of the
 * session to be acknowledged before anything is made.
 */

const lookUps = heldCalls();
const looks = heldCalls();
let looksFail = false;

/** Options of an app whose requests can be held. */
export const holding = {
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
        await looks.pass();
        if (looksFail) throw new StorageUnavailableError('switched off');
        return storage.sessions.isLive(ref);
      },
    },
  }),
};

/** Sends a request, and does something between its first look at the session and whatever it makes. */
export async function meanwhile(
  send: () => Promise<HttpResponse>,
  happens: () => Promise<unknown>,
): Promise<HttpResponse> {
  const held = lookUps.hold();
  onTestFinished(lookUps.release);
  const response = send();
  await held;
  await happens();
  lookUps.release();
  return response;
}

/** The same between what it makes and its second look at the session. */
export async function onceMade(
  send: () => Promise<HttpResponse>,
  happens: () => Promise<unknown>,
): Promise<HttpResponse> {
  let secondLook: Promise<void> | undefined;
  onTestFinished(looks.release);
  const response = meanwhile(send, async () => {
    secondLook = looks.hold();
  });
  await expect.poll(() => secondLook !== undefined).toBe(true);
  await secondLook;
  await happens();
  looks.release();
  return response;
}

/** The same for what looks at the session before the change too. */
export function onceChanged(
  send: () => Promise<HttpResponse>,
  happens: () => Promise<unknown>,
): Promise<HttpResponse> {
  return onceMade(send, async () => {
    looks.release();
    await looks.hold();
    await happens();
  });
}

/** Expects the answer that a request gets whose session has ended before it came. */
export async function expectEnded(response: HttpResponse, calls: UserCalls): Promise<void> {
  const seenByClient = ({ status, body, headers }: HttpResponse) => [
    status,
    body,
    headers['www-authenticate'],
  ];
  expect(seenByClient(response)).toEqual(seenByClient(await calls.send('GET', SESSIONS)));
  expect(errorOf(response, 401).error).toBe('invalid_token');
}

/** Lets no look at a session succeed for the rest of the test. */
export function failLooks(): void {
  looksFail = true;
  onTestFinished(() => {
    looksFail = false;
  });
}

/** After a theft, in the order that the documentation says. */
export async function drill(app: TestApp): Promise<number> {
  await app.auth.sessions.revokeAll('ada');
  return app.auth.personalAccessTokens.revokeAll('ada');
}

/** The types of the events so far that begin like this. */
export function eventsOf(app: TestApp, kind: string): readonly string[] {
  return app.events.map(({ type }) => type).filter((type) => type.startsWith(kind));
}
