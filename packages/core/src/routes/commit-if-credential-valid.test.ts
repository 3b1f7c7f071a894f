import { describe, expect, it } from 'vitest';
import { AuthError, notFound } from '../errors.ts';
import { jsonResponse } from '../http/json-response.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { commitIfCredentialValid } from './commit-if-credential-valid.ts';
import { defineRoute } from './define-route.ts';

const ENDED = new AuthError('invalid_token', 'It has ended.');
const AWAY = new AuthError('temporarily_unavailable', 'Try again in a moment.');

/** What a route answers, and what it does, if the second look and the undoing end so. */
async function lookingAgain(rejection?: AuthError, undoing?: AuthError) {
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
      return commitIfCredentialValid(jsonResponse(201, { secret: 'x' }), async () => {
        done.push('undo');
        if (undoing) throw undoing;
      });
    },
  });
  const assertCredentialValid = async () => {
    done.push('look');
    if (rejection) throw rejection;
  };
  const context = { params: {}, auth: undefined, assertCredentialValid };
  const answer = await Promise.resolve(route.handle(plainRequest({}), context)).then(
    ({ body }) => body,
    (error: unknown) => error,
  );
  return { answer, done };
}

describe('commitIfCredentialValid', () => {
  it('sends the response after the credential was checked again', async () => {
    expect(await lookingAgain()).toEqual({ answer: '{"secret":"x"}', done: ['make', 'look'] });
  });

  it.each([ENDED, AWAY])('undoes the work, and rejects with %s', async (rejection) => {
    expect(await lookingAgain(rejection)).toEqual({
      answer: rejection,
      done: ['make', 'look', 'undo'],
    });
  });

  it('rejects with the same error if the work was already undone', async () => {
    expect((await lookingAgain(ENDED, notFound())).answer).toBe(ENDED);
  });

  it('rejects with the error of the undoing if the work cannot be undone', async () => {
    expect((await lookingAgain(ENDED, AWAY)).answer).toBe(AWAY);
  });
});
