import { expect } from 'vitest';
import { eventTypesOf, type TestApp } from '../support/apps/test-app.ts';
import { expectEnded } from '../support/clients/expect-rejected.ts';
import {
  failSessionChecks,
  interruptAfterChange,
  interruptBeforeChange,
  interruptible,
} from '../support/clients/interrupted-requests.ts';
import {
  makePat,
  managerOf,
  NEW_PAT,
  PATS,
  revokeAllCredentials,
} from '../support/clients/pat-calls.ts';
import { logInWithCalls, SESSIONS } from '../support/clients/session-calls.ts';
import { errorOf, revoke } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  callsWith,
  NEW_WEBHOOK,
  publish,
  register,
  type UserCalls,
} from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const newPat = (calls: UserCalls) => () => calls.send('POST', PATS, NEW_PAT);

const newWebhook = (calls: UserCalls) => () => calls.send('POST', '/webhooks', NEW_WEBHOOK);

const changing = (calls: UserCalls, id: string, fields: object) => () =>
  calls.send('PATCH', `/webhooks/${id}`, fields);

const CHANGES_OF_THIEF = {
  url: 'https://thief.example',
  rate_limit: 9,
  rate_limit_period: 'minute',
};

const { worker: delivery } = interruptible.auth.webhooks;

async function webhooksOf(app: TestApp) {
  return app.cellStorage.storage.webhooks?.list(1, { limit: 100, after: null });
}

const managing = { scopes: 'user,auth' };

inEveryCell(
  'a personal access token that is created while its session ends',
  (test) => {
    test('is revoked if it is created after revokeAll() of sessions and of tokens', async (app) => {
      const thief = await callsOf(app, 'ada', managing);
      const response = await interruptBeforeChange(newPat(thief), async () =>
        expect(await revokeAllCredentials(app)).toBe(0),
      );
      await expectEnded(response, thief);
      expect(await app.auth.personalAccessTokens.list('ada')).toEqual([]);
      expect(eventTypesOf(app, 'personal_access_token.')).toEqual([
        'personal_access_token.created',
        'personal_access_token.revoked',
      ]);
    });

    test('is revoked and counted by a revokeAll() of tokens before its response, which is a 401', async (app) => {
      const thief = await callsOf(app, 'ada', managing);
      const response = await interruptAfterChange(newPat(thief), async () => {
        expect(await revokeAllCredentials(app)).toBe(1);
      });
      await expectEnded(response, thief);
      expect(await app.auth.personalAccessTokens.list('ada')).toEqual([]);
      expect(eventTypesOf(app, 'personal_access_token.')).toEqual([
        'personal_access_token.created',
      ]);
    });

    test('is revoked if the session ends by any route or call', async (app) => {
      for (const end of [
        ({ id }: { id: string }) => app.auth.sessions.revoke('ada', id),
        async () => app.auth.sessions.revokeOthers('ada', (await logInWithCalls(app)).id),
        async () => (await logInWithCalls(app)).send('DELETE', SESSIONS),
        ({ tokens }: { tokens: { refresh_token: string } }) => revoke(app, tokens.refresh_token),
      ]) {
        const thief = await logInWithCalls(app, 'ada', managing);
        await expectEnded(await interruptBeforeChange(newPat(thief), () => end(thief)), thief);
        expect(await app.auth.personalAccessTokens.list('ada')).toEqual([]);
      }
    });

    test('is revoked, with a 503, if the state of the session cannot be read', async (app) => {
      const calls = await callsOf(app, 'ada', managing);
      const response = await interruptBeforeChange(newPat(calls), async () => failSessionChecks());
      expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
      expect(response.headers['retry-after']).toBe('1');
      expect(await app.auth.personalAccessTokens.list('ada')).toEqual([]);
    });

    test('is created if only another session ends', async (app) => {
      const other = await logInWithCalls(app);
      const calls = await callsOf(app, 'ada', managing);
      const response = await interruptBeforeChange(newPat(calls), () =>
        app.auth.sessions.revoke('ada', other.id),
      );
      const { id } = bodyOf<{ id: string }>(response, 201);
      expect(await app.auth.personalAccessTokens.list('ada')).toMatchObject([{ tokenId: id }]);
    });
  },
  interruptible,
);

inEveryCell(
  'registering a webhook or rotating its secret while the credential ends',
  (test) => {
    test('leaves no webhook if the credential was an access token', async (app) => {
      const thief = await callsOf(app);
      const response = await interruptBeforeChange(newWebhook(thief), () =>
        revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(await webhooksOf(app)).toEqual([]);
      expect(eventTypesOf(app, 'webhook.')).toEqual(['webhook.created', 'webhook.removed']);
    });

    test('leaves no webhook if the credential was a personal access token', async (app) => {
      const { token } = await makePat(await managerOf(app));
      const thief = callsWith(app, token);
      const response = await interruptBeforeChange(newWebhook(thief), () =>
        revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(await webhooksOf(app)).toEqual([]);
    });

    test('keeps the old secret if the credential ends before the rotation', async (app) => {
      const thief = await callsOf(app);
      const { id } = await register(thief);
      const before = await webhooksOf(app);
      const response = await interruptBeforeChange(
        () => thief.send('POST', `/webhooks/${id}/secret`),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(await webhooksOf(app)).toEqual(before);
    });

    test('returns no new secret if the credential ends after the rotation', async (app) => {
      const thief = await callsOf(app);
      const { id } = await register(thief);
      const response = await interruptAfterChange(
        () => thief.send('POST', `/webhooks/${id}/secret`),
        () => revokeAllCredentials(app),
        { checksBeforeChange: 1 },
      );
      await expectEnded(response, thief);
      expect(eventTypesOf(app, 'webhook.')).toEqual(['webhook.created', 'webhook.secret_rotated']);
    });
  },
  interruptible,
);

inEveryCell(
  'a request to change a webhook, whose credential ends meanwhile',
  (test) => {
    test('changes nothing if the credential was an access token', async (app) => {
      const thief = await callsOf(app);
      const { id } = await register(thief);
      const before = await webhooksOf(app);
      const response = await interruptBeforeChange(changing(thief, id, CHANGES_OF_THIEF), () =>
        revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(await webhooksOf(app)).toEqual(before);
      expect(eventTypesOf(app, 'webhook.')).toEqual(['webhook.created']);
    });

    test('changes nothing if the credential was a personal access token', async (app) => {
      const { token } = await makePat(await managerOf(app));
      const thief = callsWith(app, token);
      const { id } = await register(thief);
      const before = await webhooksOf(app);
      const response = await interruptBeforeChange(changing(thief, id, CHANGES_OF_THIEF), () =>
        revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(await webhooksOf(app)).toEqual(before);
    });

    test('does not remove the webhook', async (app) => {
      const thief = await callsOf(app);
      const { id } = await register(thief);
      const response = await interruptBeforeChange(
        () => thief.send('DELETE', `/webhooks/${id}`),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(await webhooksOf(app)).toMatchObject([{ webhookId: id }]);
      expect(eventTypesOf(app, 'webhook.')).toEqual(['webhook.created']);
    });

    test('does not enable the webhook', async (app) => {
      const thief = await callsOf(app);
      const { id } = await register(thief);
      await publish(app);
      await delivery.tryNext({ kind: 'failed', reason: 'gone' }, { status: 410 });
      const before = await webhooksOf(app);
      const response = await interruptBeforeChange(
        () => thief.send('POST', `/webhooks/${id}/enable`),
        () => revokeAllCredentials(app),
      );
      await expectEnded(response, thief);
      expect(before).toMatchObject([{ disabledReason: 'gone' }]);
      expect(await webhooksOf(app)).toEqual(before);
    });
  },
  interruptible,
);
