import { describe, expect, it, onTestFinished } from 'vitest';
import { BRIEF_MS, sendTo, startCanary } from './canary.test.support.ts';
import {
  A,
  AAAA,
  type Answer,
  type Question,
  SERVER_FAILURE,
  startNameServer,
} from './name-server.test.support.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';

/** A public address at which nothing responds to these tests. */
const PUBLIC_V4 = { address: '93.184.215.14', family: 4 };

/** Addresses in the format of a name server. */
const PUBLIC = Buffer.from([93, 184, 215, 14]);
const LOOPBACK = Buffer.from([127, 0, 0, 1]);
const METADATA = Buffer.from([169, 254, 169, 254]);
const LOOPBACK_V6 = Buffer.from('00000000000000000000000000000001', 'hex');
const MAPPED = Buffer.from('00000000000000000000ffff7f000001', 'hex');

describe('guardedConnector and name servers', () => {
  it('connects to the address that it has checked, without resolving the name again', async () => {
    const canary = await startCanary();
    let queries = 0;
    const rebinding: ResolveHost = async () => {
      queries++;
      return queries === 1 ? [PUBLIC_V4] : [{ address: '127.0.0.1', family: 4 }];
    };
    const firstResult = await sendTo(`http://a.test:${canary.port}/`, rebinding, BRIEF_MS);
    expect(firstResult).not.toBe('address_rejected');
    expect(queries).toBe(1);
    expect(await sendTo(`http://a.test:${canary.port}/`, rebinding)).toBe('address_rejected');
    expect(queries).toBe(2);
    expect(canary.connections()).toBe(0);
  });

  it.each<[string, (question: Question) => Answer]>([
    ['only in the AAAA answer', ({ type }) => (type === A ? [PUBLIC] : [LOOPBACK_V6])],
    ['only in the A answer', ({ type }) => (type === A ? [LOOPBACK] : [])],
    ['after a public one', ({ type }) => (type === A ? [PUBLIC, LOOPBACK] : [])],
    ['under an alias', () => ({ alias: 'metadata.test', addresses: [METADATA] })],
    ['mapped to IPv6', ({ type }) => (type === AAAA ? [MAPPED] : SERVER_FAILURE)],
  ])('rejects a private address that a real name server returns %s', async (_, answer) => {
    const canary = await startCanary();
    const server = await startNameServer(answer);
    onTestFinished(server.close);
    const resolveHost = createHostResolver(server.resolver);
    for (const protocol of ['http', 'https']) {
      expect(await sendTo(`${protocol}://a.test:${canary.port}/`, resolveHost)).toBe(
        'address_rejected',
      );
    }
    // A and AAAA, for each protocol.
    expect(server.queries()).toBe(4);
    expect(canary.connections()).toBe(0);
  });

  it('queries a real name server once per attempt, even if the next answer differs', async () => {
    const canary = await startCanary();
    const server = await startNameServer(({ type, nth }) => {
      if (type === AAAA) return [];
      return nth === 1 ? [PUBLIC] : [LOOPBACK];
    });
    onTestFinished(server.close);
    const resolveHost = createHostResolver(server.resolver);
    const firstResult = await sendTo(`http://a.test:${canary.port}/`, resolveHost, BRIEF_MS);
    expect(firstResult).not.toBe('address_rejected');
    // A and AAAA.
    await expect.poll(() => server.queries()).toBe(2);
    expect(await sendTo(`http://a.test:${canary.port}/`, resolveHost)).toBe('address_rejected');
    expect(canary.connections()).toBe(0);
  });
});
