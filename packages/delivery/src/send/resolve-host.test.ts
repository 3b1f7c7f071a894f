import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  A,
  AAAA,
  type Answer,
  NO_SUCH_NAME,
  resolverAt,
  SERVER_FAILURE,
  startNameServer,
} from './name-server.test.support.ts';
import { createHostResolver } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

const V4 = Buffer.from([93, 184, 215, 14]);
const V6 = Buffer.from('26062800021fcb07682080daaf6b8b2c', 'hex');

/** The answers of a name server, by name and record type. */
type Zone = Readonly<Record<string, Readonly<Record<number, Answer>>>>;

const closeAll: (() => void)[] = [];
afterEach(() => {
  for (const close of closeAll.splice(0)) close();
});

/** Creates a resolver that queries a new name server with `zone`. */
async function startResolver(zone: Zone) {
  const server = await startNameServer(({ name, type }) => zone[name]?.[type] ?? NO_SUCH_NAME);
  closeAll.push(server.close);
  return createHostResolver(server.resolver);
}

describe('createHostResolver', () => {
  it('returns the addresses of both families', async () => {
    const resolve = await startResolver({ 'a.test': { [A]: [V4], [AAAA]: [V6] } });
    expect(await resolve('a.test')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
    ]);
  });

  it.each([
    ['has no addresses', []],
    ['makes the name server fail', SERVER_FAILURE],
  ])('returns one address family if the other %s', async (_, none) => {
    const resolve = await startResolver({
      'four.test': { [A]: [V4], [AAAA]: none },
      'six.test': { [A]: none, [AAAA]: [V6] },
    });
    expect((await resolve('four.test')).map(({ family }) => family)).toEqual([4]);
    expect((await resolve('six.test')).map(({ family }) => family)).toEqual([6]);
  });

  it.each([
    ['that does not exist', {}],
    ['without addresses', { 'a.test': { [A]: [], [AAAA]: [] } }],
    [
      'for which the name server fails',
      { 'a.test': { [A]: SERVER_FAILURE, [AAAA]: SERVER_FAILURE } },
    ],
  ])('rejects with dns_failed for a name %s', async (_, zone) => {
    const resolve = await startResolver(zone);
    await expect(resolve('a.test')).rejects.toEqual(new SendFault('dns_failed'));
  });

  it('rejects with sender_failed if the name server is unreachable', async () => {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    server.close();
    await expect(createHostResolver(resolverAt(port))('a.test')).rejects.toEqual(
      new SendFault('sender_failed'),
    );
  });

  it('resolves localhost names without a query', async () => {
    const resolve = await startResolver({ localhost: { [A]: [V4] } });
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(await resolve(name)).toEqual([{ address: '127.0.0.1', family: 4 }]);
    }
  });
});
