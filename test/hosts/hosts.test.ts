import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expressHosts } from './express-hosts.ts';
import { type Fixture, makeFixture } from './fixture.ts';
import { guardCases } from './guard-cases.ts';
import { type Host, type RunningHost, startHost } from './host.ts';
import { koaHosts } from './koa-hosts.ts';
import { asPlainData, onTheWire, whatCounts } from './plain-data.ts';
import { routeCases } from './route-cases.ts';
import { type Answer, type RequestToSend, sendRequest } from './send-request.ts';

const hosts = [...expressHosts, ...koaHosts];
const ECHOED = [
  ['application/json', '{"a":1}'],
  ['text/plain', 'a text'],
] as const;
const frameworks = [...new Set(hosts.map(({ framework }) => framework))];

describe.each(frameworks)('%s', (framework) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await makeFixture();
  });

  const variants = hosts.filter((host) => host.framework === framework);
  describe.each(byName(variants))('%s', (_, host) => {
    let running: RunningHost;
    beforeAll(async () => {
      running = await startHost(host, fixture.auth);
    });
    afterAll(() => running.stop());

    function send(request: RequestToSend): Promise<Answer> {
      return sendRequest(running.port, request);
    }

    // Compared with the routes' answer to plain data: a host adds nothing and removes nothing.
    it.each(byClaim(routeCases))('%s', async (_, { request, instead, ...always }) => {
      const expected = instead?.[host.reach] ?? always;
      const asked = request(fixture);
      const answer = await send({ ...asked, path: host.mountPath + asked.path });
      expect(answer.status).toBe(expected.status);
      if (expected.byHost) return expect(answer).not.toSatisfy(isOurs);
      expect(answer).toSatisfy(isOurs);
      const measure = await fixture.auth.http.handle(asPlainData(asked, host));
      expect(JSON.parse(measure.body).error).toBe(expected.error);
      expect(whatCounts(answer)).toEqual(onTheWire(measure, asked.method));
    });

    it.each(byClaim(guardCases))(
      '%s',
      async (_, { path, authorization, status, body, challenge }) => {
        const headers = authorization(fixture).flatMap((value) => ['authorization', value]);
        const answer = await send({ method: 'GET', path, headers });
        expect(answer.status).toBe(status);
        expect(JSON.parse(answer.body)).toMatchObject(body);
        const header = answer.headers['www-authenticate'];
        if (challenge === undefined) expect(header).toBeUndefined();
        else expect(header).toMatch(new RegExp(`^${challenge}`));
      },
    );

    it.each(['/', '/tokens', '/token/', '/TOKEN', '/%74oken'])(
      'leaves %j below the mount to the host',
      async (path) => {
        const answer = await send({ method: 'GET', path: host.mountPath + path });
        expect(answer.status).toBe(404);
        expect(answer).not.toSatisfy(isOurs);
      },
    );

    if (host.mountPath !== '') {
      it('leaves paths outside the mount to the host', async () => {
        const answer = await send({ method: 'GET', path: '/token' });
        expect(answer.status).toBe(404);
        expect(answer).not.toSatisfy(isOurs);
      });
    }

    // A body that is lost is lost to the host too.
    const bodies = host.reach === 'lost' ? [] : ECHOED;
    it.each(bodies)('leaves a body of %s to a route of the host', async (type, body) => {
      const headers = ['content-type', type];
      const answer = await send({ method: 'POST', path: '/echo', headers, body });
      expect([answer.status, answer.body]).toEqual([200, body]);
    });

    it('accepts an absolute URL as the request target', async () => {
      const path = `${host.mountPath}/.well-known/oauth-authorization-server`;
      const answer = await send({ method: 'GET', path: `http://somewhere.example${path}` });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({
        token_endpoint: `https://api.example.com${host.mountPath}/token`,
      });
    });
  });
});

function byClaim<Case extends { readonly claim: string }>(cases: readonly Case[]) {
  return cases.map((one) => [one.claim, one] as const);
}

function byName(variants: readonly Host[]) {
  return variants.map(
    (host) => [`${host.parser}, mounted at ${host.mountPath || '/'}`, host] as const,
  );
}

function isOurs({ headers }: Answer): boolean {
  return (
    headers['x-content-type-options'] === 'nosniff' &&
    headers['content-type'] === 'application/json; charset=utf-8'
  );
}
