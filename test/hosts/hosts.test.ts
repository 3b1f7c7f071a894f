import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expressHosts } from './express-hosts.ts';
import { type Fixture, makeFixture } from './fixture.ts';
import { guardCases } from './guard-cases.ts';
import { type Host, type RunningHost, startHost } from './host.ts';
import { koaHosts } from './koa-hosts.ts';
import { asPlainData, toReceived, withoutHostHeaders } from './plain-data.ts';
import { routeCases } from './route-cases.ts';
import { type HttpResponse, type RequestToSend, sendRequest } from './send-request.ts';

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

    function send(request: RequestToSend): Promise<HttpResponse> {
      return sendRequest(running.port, request);
    }

    // The reference is the routes' response to plain data: a host adds nothing to it and removes nothing.
    it.each(byTitle(routeCases))('%s', async (_, { request, instead, ...always }) => {
      const expected = instead?.[host.reach] ?? always;
      const toSend = request(fixture);
      const response = await send({ ...toSend, path: host.mountPath + toSend.path });
      expect(response.status).toBe(expected.status);
      if (expected.byHost) return expect(response).not.toSatisfy(isFromLatchhook);
      expect(response).toSatisfy(isFromLatchhook);
      const reference = await fixture.auth.http.handle(asPlainData(toSend, host));
      expect(JSON.parse(reference.body).error).toBe(expected.error);
      expect(withoutHostHeaders(response)).toEqual(toReceived(reference, toSend.method));
    });

    it.each(byTitle(guardCases))(
      '%s',
      async (_, { path, authorization, status, body, challenge }) => {
        const headers = authorization(fixture).flatMap((value) => ['authorization', value]);
        const response = await send({ method: 'GET', path, headers });
        expect(response.status).toBe(status);
        expect(JSON.parse(response.body)).toMatchObject(body);
        const header = response.headers['www-authenticate'];
        if (challenge === undefined) expect(header).toBeUndefined();
        else expect(header).toMatch(new RegExp(`^${challenge}`));
      },
    );

    it.each(['/', '/tokens', '/token/', '/TOKEN', '/%74oken'])(
      'passes a request for %j below the mount on to the host app',
      async (path) => {
        const response = await send({ method: 'GET', path: host.mountPath + path });
        expect(response.status).toBe(404);
        expect(response).not.toSatisfy(isFromLatchhook);
      },
    );

    if (host.mountPath === '') {
      it('passes a request for a URL without a path on to the host app', async () => {
        const response = await send({ method: 'GET', path: 'x://y' });
        expect(response.status).toBe(404);
      });
    } else {
      it('passes a request for /token outside the mount on to the host app', async () => {
        const response = await send({ method: 'GET', path: '/token' });
        expect(response.status).toBe(404);
        expect(response).not.toSatisfy(isFromLatchhook);
      });
    }

    // A body that its parser did not keep is lost to the host too.
    const bodies = host.reach === 'lost' ? [] : ECHOED;
    it.each(bodies)(
      'lets a route of the host see a body of type %s unchanged',
      async (type, body) => {
        const headers = ['content-type', type];
        const response = await send({ method: 'POST', path: '/echo', headers, body });
        expect([response.status, response.body]).toEqual([200, body]);
      },
    );

    it('accepts an absolute URL as the request target', async () => {
      const path = `${host.mountPath}/.well-known/oauth-authorization-server`;
      const response = await send({ method: 'GET', path: `http://somewhere.example${path}` });
      expect(response.status).toBe(200);
      expect(JSON.parse(response.body)).toMatchObject({
        token_endpoint: `https://api.example.com${host.mountPath}/token`,
      });
    });
  });
});

function byTitle<Case extends { readonly title: string }>(cases: readonly Case[]) {
  return cases.map((one) => [one.title, one] as const);
}

function byName(variants: readonly Host[]) {
  return variants.map(
    (host) => [`${host.parser}, mounted at ${host.mountPath || '/'}`, host] as const,
  );
}

function isFromLatchhook({ headers }: HttpResponse): boolean {
  return (
    headers['x-content-type-options'] === 'nosniff' &&
    headers['content-type'] === 'application/json; charset=utf-8'
  );
}
