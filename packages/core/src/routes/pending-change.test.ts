import { describe, expect, it } from 'vitest';
import { AuthError, notFound } from '../errors.ts';
import { jsonResponse } from '../http/json-response.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { defineRoute } from './define-route.ts';

const SESSION_ENDED = new AuthError('invalid_token', 'It has ended.');
const UNAVAILABLE = new AuthError('temporarily_unavailable', 'Try again in a moment.');

/** Runs a route whose credential check and undo reject with these errors; returns its result and its steps. */
async function runRoute(rejection?: AuthError, undoError?: AuthError) {
  const steps: string[] = [];
  const route = defineRoute({
    method: 'POST',
    path: '/things',
    operationId: 'makeThing',
    summary: 'Make one',
    answers: { 201: { description: 'Made.' } },
    handle() {
      steps.push('create');
      return {
        response: jsonResponse(201, { secret: 'x' }),
        async undo() {
          steps.push('undo');
          if (undoError) throw undoError;
        },
      };
    },
  });
  const assertCredentialValid = async () => {
    steps.push('check');
    if (rejection) throw rejection;
  };
  const context = { params: {}, auth: undefined, assertCredentialValid };
  const result = await Promise.resolve(route.handle(plainRequest({}), context)).then(
    ({ body }) => body,
    (error: unknown) => error,
  );
  return { result, steps };
}

describe('a route that returns a pending change', () => {
  it('sends the response after the credential was checked again', async () => {
    expect(await runRoute()).toEqual({ result: '{"secret":"x"}', steps: ['create', 'check'] });
  });

  it.each([SESSION_ENDED, UNAVAILABLE])(
    'undoes the change if the check rejects, and rejects with the same error: %s',
    async (rejection) => {
      expect(await runRoute(rejection)).toEqual({
        result: rejection,
        steps: ['create', 'check', 'undo'],
      });
    },
  );

  it('rejects with the error of the check if the change was already undone', async () => {
    expect((await runRoute(SESSION_ENDED, notFound())).result).toBe(SESSION_ENDED);
  });

  it('rejects with the error of the undo if the change cannot be undone', async () => {
    expect((await runRoute(SESSION_ENDED, UNAVAILABLE)).result).toBe(UNAVAILABLE);
  });
});
