import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Agent, Dispatcher, ProxyAgent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { request, resultOf, sender } from './receivers.test.support.ts';

const closeAll: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closeAll.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAll.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Resolves to the result of an attempt through the proxy. */
async function sendThrough(proxyUrl: string, url: string, allowPrivateAddresses = true) {
  const dispatcher = new ProxyAgent({ uri: proxyUrl });
  closeAll.push(() => dispatcher.destroy());
  return resultOf(await sender({ allowPrivateAddresses, dispatcher }).send(request(url)));
}

/** Starts a proxy that opens tunnels, or responds with `status` if that is not 200. */
async function proxy(status = 200) {
  const targets: (string | undefined)[] = [];
  const server = createServer().on('connect', (req, socket: Socket) => {
    targets.push(req.url);
    closeAll.push(() => socket.destroy());
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host, port] = req.url?.split(':') ?? [];
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    closeAll.push(() => upstream.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, targets };
}

describe('a dispatcher of the host', () => {
  it('sends an attempt through its proxy', async () => {
    const port = await listen(createServer((_req, res) => res.writeHead(202).end('ok')));
    const { url, targets } = await proxy();
    const result = await sendThrough(url, `http://127.0.0.1:${port}/hooks`);
    expect(result).toMatchObject({ status: 202, error: null });
    expect(targets).toEqual([`127.0.0.1:${port}`]);
  });

  it('is not called for a private IP address', async () => {
    const { url, targets } = await proxy();
    const result = await sendThrough(url, 'http://[::ffff:169.254.169.254]/', false);
    expect(result.error).toBe('address_rejected');
    expect(targets).toEqual([]);
  });

  it.each([
    ['the credentials', 407, 'sender_failed'],
    ['the receiver', 403, 'proxy_rejected'],
    ['a connection to the receiver', 502, 'proxy_rejected'],
  ])('whose proxy rejects %s with %i causes %s', async (_, status, error) => {
    const { url } = await proxy(status);
    const result = await sendThrough(url, 'https://example.com/');
    expect(result).toMatchObject({ status: null, error });
    expect(result.fault instanceof Error).toBe(error === 'sender_failed');
  });

  it('whose proxy is unreachable causes sender_failed', async () => {
    const { url } = await proxy();
    // Closes the proxy, which was opened last.
    await closeAll.pop()?.();
    expect(await sendThrough(url, 'https://example.com/')).toMatchObject({
      error: 'sender_failed',
      fault: { code: 'ECONNREFUSED' },
    });
    const unresolvable = 'http://proxy.invalid:3128';
    expect((await sendThrough(unresolvable, 'https://example.com/')).error).toBe('sender_failed');
  });

  it('gets the body as text', async () => {
    const bodies: unknown[] = [];
    class Recording extends Dispatcher {
      override dispatch(options: Dispatcher.DispatchOptions): boolean {
        bodies.push(options.body);
        throw new Error('nothing is sent');
      }
    }
    await sender({ dispatcher: new Recording() }).send(request('https://example.com/'));
    expect(bodies).toEqual(['{"name":"Zoë"}']);
  });

  it('is not closed with the sender', async () => {
    const dispatcher = new Agent();
    closeAll.push(() => dispatcher.close());
    await sender({ dispatcher }).close();
    expect(dispatcher.closed).toBe(false);
  });
});
