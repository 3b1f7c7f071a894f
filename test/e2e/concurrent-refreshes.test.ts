import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import { errorOf, refresh, revoke, session, tokensOf } from '../support/clients/token-calls.ts';
import { countOf, describeRaces, inParallel } from '../support/storage/races.ts';

const RACES = 100;

describeRaces((start, storage) => {
  describe('parallel refreshes', () => {
    it('return the same successor to 200 requests with one token', async () => {
      const app = await start();
      const { refresh_token } = await session(app);
      const responses = await inParallel(200, () => refresh(app, refresh_token));
      const successors = new Set(responses.map((response) => tokensOf(response).refresh_token));
      expect(successors.size).toBe(1);
      const [successor = ''] = successors;
      expect((await refresh(app, successor)).status).toBe(200);
      const rotations = app.events.filter(
        (event) => event.type === 'session.refreshed' && !event.replayed,
      );
      expect(rotations).toHaveLength(2);
    });

    // Memory and PGlite serve one process only.
    if (storage !== 'memory' && storage !== 'pglite') {
      it('return the same successor over two processes', async () => {
        const one = await start();
        const two = await start({ sharedWith: one });
        const { refresh_token } = await session(one);
        const responses = await inParallel(100, (index) =>
          refresh(index % 2 === 0 ? one : two, refresh_token),
        );
        expect(new Set(responses.map((response) => tokensOf(response).refresh_token)).size).toBe(1);
      });
    }

    it('return the same refresh token for different requested scopes, each with its own scopes', async () => {
      const app = await start();
      const { refresh_token } = await session(app, 'ada', { scopes: 'user,admin' });
      const responses = await inParallel(20, (index) =>
        refresh(app, refresh_token, { scopes: index % 2 === 0 ? 'user' : 'admin' }),
      );
      const tokens = responses.map(tokensOf);
      expect(new Set(tokens.map((each) => each.refresh_token)).size).toBe(1);
      expect(tokens.map(({ scope }) => scope)).toEqual(
        tokens.map((_, index) => (index % 2 === 0 ? 'user' : 'admin')),
      );
    });

    it('end the session if one of them presents a token two generations old', async () => {
      const app = await start();
      const first = await session(app);
      const second = tokensOf(await refresh(app, first.refresh_token));
      const third = tokensOf(await refresh(app, second.refresh_token));
      const [old] = await Promise.all([
        refresh(app, first.refresh_token),
        ...Array.from({ length: 10 }, () => refresh(app, third.refresh_token)),
      ]);
      expect(errorOf(old as HttpResponse).error).toBe('invalid_grant');
      for (const { refresh_token } of [first, second, third]) {
        expect((await refresh(app, refresh_token)).status).toBe(400);
      }
    });
  });

  describe('a refresh that races the end of its session', () => {
    it(`never succeeds after a revocation was acknowledged, in ${RACES} races`, async () => {
      const app = await start();
      const races = await inParallel(RACES, async (index) => {
        const { refresh_token, access_token } = await session(app);
        let acknowledged = false;
        const ending = revoke(app, index % 2 === 0 ? refresh_token : access_token).then(
          ({ status }) => {
            acknowledged = status === 200;
          },
        );
        let newest = refresh_token;
        const survivors: string[] = [];
        for (let time = 0; time < 4; time += 1) {
          const wasAcknowledged = acknowledged;
          const response = await refresh(app, newest);
          if (response.status !== 200) continue;
          newest = tokensOf(response).refresh_token;
          if (wasAcknowledged) survivors.push(newest);
        }
        await ending;
        expect(acknowledged).toBe(true);
        const after = await refresh(app, newest);
        return after.status === 400 ? survivors : [...survivors, newest];
      });
      expect(races.flat()).toEqual([]);
    });

    it('never succeeds after the host has ended all sessions or disabled the user', async () => {
      const app = await start({ auth: { maxSessionsPerUser: 1000 } });
      const sessions = await inParallel(50, () => session(app));
      const racing = sessions.map(({ refresh_token }) => refresh(app, refresh_token));
      await app.auth.sessions.revokeAll('ada');
      const after = await inParallel(50, (index) =>
        refresh(app, sessions[index]?.refresh_token ?? ''),
      );
      expect(countOf(after, 400)).toBe(50);
      for (const response of await Promise.all(racing)) {
        if (response.status !== 200) continue;
        expect((await refresh(app, tokensOf(response).refresh_token)).status).toBe(400);
      }
      app.clock.advance(1);
      const fresh = await session(app);
      app.users.change('ada', { disabled: true });
      const disabled = await inParallel(10, () => refresh(app, fresh.refresh_token));
      expect(countOf(disabled, 400)).toBe(10);
    });
  });
});
