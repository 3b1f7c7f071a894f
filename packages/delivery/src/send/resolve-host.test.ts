import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createHostResolver } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

const A = 1;
const AAAA = 28;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

const V4 = Buffer.from([93, 184, 215, 14]);
const V6 = Buffer.from('26062800021fcb07682080daaf6b8b2c', 'hex');

/** What a name server has on a name, by the type that is asked for: addresses, or a code of failure. */
type Zone = Readonly<Record<string, Readonly<Record<number, readonly Buffer[] | number>>>>;

const closeAll: (() => void)[] = [];
afterEach(() => {
  for (const close of closeAll.splice(0)) close();
});

/** Asks a name server of its own, which has `zone`. */
async function resolver(zone: Zone) {
  const server = createSocket('udp4', (query, { port }) => {
    const { name, type, question } = readQuestion(query);
    const found = zone[name]?.[type] ?? NO_SUCH_NAME;
    server.send(writeAnswer(query, question, type, found), port);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  closeAll.push(() => server.close());
  return asking(server.address().port);
}

function asking(port: number) {
  const asked = new dns.Resolver({ timeout: 1_000, tries: 1 });
  asked.setServers([`127.0.0.1:${port}`]);
  return createHostResolver(asked);
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(12, at + 5) };
}

function writeAnswer(
  query: Buffer,
  question: Buffer,
  type: number,
  found: readonly Buffer[] | number,
): Buffer {
  const addresses = typeof found === 'number' ? [] : found;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(address.length, 10);
    return Buffer.concat([record, address]);
  });
  return Buffer.concat([header, question, ...records]);
}

describe('createHostResolver', () => {
  it('finds the addresses of both families', async () => {
    const resolve = await resolver({ 'a.test': { [A]: [V4], [AAAA]: [V6] } });
    expect(await resolve('a.test')).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
    ]);
  });

  it.each([
    ['of which there are none', []],
    ['that the name server fails at', SERVER_FAILURE],
  ])('goes without a family %s', async (_, none) => {
    const resolve = await resolver({
      'four.test': { [A]: [V4], [AAAA]: none },
      'six.test': { [A]: none, [AAAA]: [V6] },
    });
    expect((await resolve('four.test')).map(({ family }) => family)).toEqual([4]);
    expect((await resolve('six.test')).map(({ family }) => family)).toEqual([6]);
  });

  it.each([
    ['that is none', {}],
    ['without addresses', { 'a.test': { [A]: [], [AAAA]: [] } }],
    [
      'that the name server fails at',
      { 'a.test': { [A]: SERVER_FAILURE, [AAAA]: SERVER_FAILURE } },
    ],
  ])('fails for a name %s', async (_, zone) => {
    const resolve = await resolver(zone);
    await expect(resolve('a.test')).rejects.toEqual(new SendFault('dns_failed'));
  });

  it('blames no name for a name server that is out of reach', async () => {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    server.close();
    await expect(asking(port)('a.test')).rejects.toEqual(new SendFault('sender_failed'));
  });

  it('asks nobody where this machine is', async () => {
    const resolve = await resolver({ localhost: { [A]: [V4] } });
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(await resolve(name)).toEqual([{ address: '127.0.0.1', family: 4 }]);
    }
  });
});
