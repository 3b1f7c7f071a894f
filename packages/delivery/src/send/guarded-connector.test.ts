import { describe, expect, it } from 'vitest';
import { sendTo, startCanary } from './canary.test.support.ts';
import { type ConnectorOptions, guardedConnector } from './guarded-connector.ts';
import { request, sender } from './receivers.test.support.ts';
import { RequestConnection } from './request-connection.ts';
import type { ResolveHost } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';

/** Public addresses at which nothing responds to these tests. */
const PUBLIC_V4 = { address: '93.184.215.14', family: 4 };
const PUBLIC_V6 = { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 };

/** Hosts, in every notation, that lead to this machine, its network or its cloud. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7F.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.0x1',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'anything.localhost',
  'ｌｏｃａｌｈｏｓｔ',
  '0',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0xa9.254.0xa9.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:169.254.169.254]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[100::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[3fff::1]',
  '[5f00::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
];

/** Calls the connector directly. Resolves to the arguments of its callback. */
function connect(target: { hostname: string; port: number }, options: Partial<ConnectorOptions>) {
  const connector = guardedConnector({
    allowPrivateAddresses: false,
    ...options,
  });
  const { hostname, port } = target;
  const connection = new RequestConnection(1);
  return new Promise<unknown[]>((resolve) =>
    connector({ hostname, protocol: 'http:', port: String(port), connection }, (...end) =>
      resolve(end),
    ),
  );
}

describe('guardedConnector', () => {
  it.each(PRIVATE_HOSTS)('opens no connection to %s', async (host) => {
    const canary = await startCanary();
    const { send, close } = sender({ allowPrivateAddresses: false });
    for (const protocol of ['http', 'https']) {
      const url = `${protocol}://${host}:${canary.port}/`;
      const result = await send(request(url));
      expect(result).toMatchObject({ status: null, error: 'address_rejected' });
    }
    await close();
    expect(canary.connections()).toBe(0);
  });

  it.each([
    ['127.0.0.1', [{ address: '127.0.0.1', family: 4 }]],
    ['::1', [{ address: '::1', family: 6 }]],
    ['a mapped address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['an address of NAT64', [{ address: '64:ff9b::7f00:1', family: 6 }]],
    [
      'public addresses and then a private one',
      [PUBLIC_V4, PUBLIC_V6, { address: '10.0.0.1', family: 4 }],
    ],
    [
      'more public addresses than are tried, and then a private one',
      [...Array(9).fill(PUBLIC_V4), { address: '10.0.0.1', family: 4 }],
    ],
    ['a private address and then a public one', [{ address: 'fd00::1', family: 6 }, PUBLIC_V4]],
    ['257 public addresses', Array(257).fill(PUBLIC_V4)],
    ['an invalid address', [{ address: 'localhost', family: 4 }]],
  ])('rejects a name that resolves to %s', async (_, addresses) => {
    const canary = await startCanary();
    for (const protocol of ['http', 'https']) {
      expect(await sendTo(`${protocol}://a.test:${canary.port}/`, async () => addresses)).toBe(
        'address_rejected',
      );
    }
    expect(canary.connections()).toBe(0);
  });

  it('rejects a private address that is given as the host', async () => {
    const canary = await startCanary();
    for (const hostname of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const outcome = await connect({ hostname, port: canary.port }, {});
      expect(outcome).toEqual([new SendFault('address_rejected'), null]);
    }
    expect(canary.connections()).toBe(0);
  });

  it('tries four addresses of each family if a name has nine of each', async () => {
    const canary = await startCanary();
    const addresses = Array.from({ length: 9 }, (_, i) => [
      { address: `127.0.0.${i + 1}`, family: 4 },
      { address: `::ffff:127.0.1.${i + 1}`, family: 6 },
    ]).flat();
    const resolveHost: ResolveHost = async () => addresses;
    // Now nothing listens on the port, so every address is tried.
    canary.close();
    const target = { hostname: 'a.test', port: canary.port };
    const [error] = await connect(target, { allowPrivateAddresses: true, resolveHost });
    const triedAddresses =
      error instanceof AggregateError ? error.errors.map(({ address }) => address) : [];
    expect(triedAddresses.toSorted()).toEqual([
      '127.0.0.1',
      '127.0.0.2',
      '127.0.0.3',
      '127.0.0.4',
      '::ffff:127.0.1.1',
      '::ffff:127.0.1.2',
      '::ffff:127.0.1.3',
      '::ffff:127.0.1.4',
    ]);
  });

  it('opens no connection if the name cannot be resolved', async () => {
    const canary = await startCanary();
    const failing: ResolveHost = () => Promise.reject(new SendFault('dns_failed'));
    expect(await sendTo(`http://a.test:${canary.port}/`, failing)).toBe('dns_failed');
    expect(await sendTo(`http://a.test:${canary.port}/`, async () => [])).toBe('dns_failed');
    expect(canary.connections()).toBe(0);
  });
});
