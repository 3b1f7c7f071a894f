import { describe, expect, it } from 'vitest';
import { AuthError, notFound } from '../errors.ts';
import { jsonResponse } from '../http/json-response.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { defineRoute } from './define-route.ts';
import { ifStillGood } from './if-still-good.ts';

const ENDED = new AuthError('invalid_token', 'It has ended.');
const AWAY = new AuthError('temporarily_unavailable', 'Try again in a moment.');

/** What a route answers, and what it does, if the second look and the undoing end so. */
async function lookingAgain(refusal?: AuthError, undoing?: AuthError) {
  const done: string[] = [];
  const route = defineRoute({
    method: 'POST',
    path: '/things',
    operationId: 'makeThing',
    summary: 'Make one',
    answers: { 201: { description: 'Made.' } },
    errors: [],
    handle() {
      done.push('make');
      return ifStillGood(jsonResponse(201, { secret: 'x' }), async () => {
        done.push('undo');
        if (undoing) throw undoing;
      });
    },
  });
  const assertStillGood = async () => {
    done.push('look');
    if (refusal) throw refusal;
  };
  const context = { params: {}, auth: undefined, assertStillGood };
  const answer = await Promise.resolve(route.handle(plainRequest({}), context)).then(
    ({ body }) => body,
    (error: unknown) => error,
  );
  return { answer, done };
}

describe('an answer if the credential is still good', () => {
  it('is given once that was looked at after the doing', async () => {
    expect(await lookingAgain()).toEqual({ answer: '{"secret":"x"}', done: ['make', 'look'] });
  });

  it.each([ENDED, AWAY])('is refused by %s once all was undone', async (refusal) => {
    expect(await lookingAgain(refusal)).toEqual({
      answer: refusal,
      done: ['make', 'look', 'undo'],
    });
  });

  it('is refused the same if somebody else was quicker to undo it', async () => {
    expect((await lookingAgain(ENDED, notFound())).answer).toBe(ENDED);
  });

  it('is a fault if it cannot be undone', async () => {
    expect((await lookingAgain(ENDED, AWAY)).answer).toBe(AWAY);
  });
});
