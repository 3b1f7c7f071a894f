import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { virtualTime } from '../time/virtual-time.ts';
import {
  type FakeReceiver,
  type FakeReceiverOptions,
  startFakeReceiver,
} from './start-fake-receiver.ts';

const MANY_BYTES = 1_000_000;
const receivers: FakeReceiver[] = [];

async function start(options?: FakeReceiverOptions): Promise<FakeReceiver> {
  const receiver = await startFakeReceiver(options);
  receivers.push(receiver);
  return receiver;
}

function post(receiver: FakeReceiver, path = '/', body = '{}'): Promise<Response> {
  return fetch(receiver.url + path, { method: 'POST', body, redirect: 'manual' });
}

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

describe('a fake receiver', () => {
  it('records requests byte by byte', async () => {
    const receiver = await start({ clock: { nowMs: () => 42 } });
    const body = '{"name":"ünï"}';
    const response = await fetch(`${receiver.url}/hooks?a=1`, {
      method: 'POST',
      body,
      headers: { 'webhook-id': 'msg_1' },
    });
    expect(response.status).toBe(204);
    expect(receiver.received()).toMatchObject([
      { method: 'POST', path: '/hooks?a=1', headers: { 'webhook-id': 'msg_1' }, atMs: 42 },
    ]);
    expect(receiver.received()[0]?.body).toEqual(Buffer.from(body));
  });

  it('sends the answers in order and repeats the last', async () => {
    const answers = [
      { status: 503, headers: { 'retry-after': '120' }, body: 'later' },
      { status: 302, headers: { location: '/elsewhere' } },
      200,
    ];
    const receiver = await start({ answers });
    const first = await post(receiver);
    expect(first.headers.get('retry-after')).toBe('120');
    expect(await first.text()).toBe('later');
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await post(receiver)).status);
    expect(statuses).toEqual([302, 200, 200]);
  });

  it('sends separate answers per path and replaces them on answer()', async () => {
    const receiver = await start({ answers: 200, paths: { '/gone': [410, 404] } });
    const statusOf = async (path: string) => (await post(receiver, path)).status;
    expect([await statusOf('/gone'), await statusOf('/well'), await statusOf('/gone')]).toEqual([
      410, 200, 404,
    ]);
    receiver.answer(500);
    receiver.answer(202, '/gone');
    expect([await statusOf('/gone'), await statusOf('/well')]).toEqual([202, 500]);
    expect(receiver.received('/gone')).toHaveLength(3);
  });

  it('resolves waitFor(count) when count requests have arrived', async () => {
    const receiver = await start();
    const pendingRequests = receiver.waitFor(2, '/b');
    for (const path of ['/b', '/a', '/b']) await post(receiver, path);
    expect(await pendingRequests).toHaveLength(2);
    expect(await receiver.waitFor(3)).toHaveLength(3);
  });

  it('resets connections before or during a response', async () => {
    const cutResponse = { status: 200, body: 'the beginning', ending: 'reset' } as const;
    const receiver = await start({ answers: ['reset', cutResponse] });
    await expect(post(receiver)).rejects.toThrow();
    const response = await post(receiver);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('counts a request as held while its response is delayed in virtual time', async () => {
    const time = virtualTime();
    const answers = { status: 200, body: 'abc', afterMs: 5_000, byteEveryMs: 1_000 };
    const receiver = await start({ answers, timers: time.timers });
    let inProgress = 1;
    const text = post(receiver)
      .then((response) => response.text())
      .finally(() => {
        inProgress -= 1;
      });
    time.holdWhile(() => inProgress !== receiver.held());
    const beganAtMs = time.clock.nowMs();
    await time.runUntil(() => inProgress === 0);
    expect(await text).toBe('abc');
    const { afterMs, byteEveryMs, body } = answers;
    expect(time.clock.nowMs() - beganAtMs).toBe(afterMs + byteEveryMs * body.length);
  });

  it('holds a hanging request until its sender disconnects', async () => {
    const receiver = await start({ answers: 'hang' });
    const sender = new AbortController();
    const pendingResponse = fetch(receiver.url, { signal: sender.signal });
    await receiver.waitFor(1);
    await expect.poll(() => receiver.held()).toBe(1);
    sender.abort();
    await expect(pendingResponse).rejects.toThrow();
    await expect.poll(() => receiver.held()).toBe(0);
  });

  it('sends an endless body until the sender disconnects', async () => {
    const receiver = await start({ answers: { status: 200, body: { bytes: Infinity } } });
    const clientRequest = request(receiver.url).end();
    const [response] = await once(clientRequest, 'response');
    let bytes = 0;
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > MANY_BYTES) break;
    }
    expect(bytes).toBeGreaterThan(MANY_BYTES);
  });

  it('sends raw bytes that are not HTTP', async () => {
    const receiver = await start({ answers: { raw: 'SMTP ready\r\n' } });
    const socket = connect(receiver.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    let received = '';
    for await (const chunk of socket) received += chunk;
    expect(received).toBe('SMTP ready\r\n');
  });

  it('rejects a misspelt property in options and answers', async () => {
    const misspelt = { status: 200, afterMS: 1 };
    await expect(start({ answer: 500 } as object)).rejects.toThrow(/knows no "answer"/);
    await expect(start({ answers: [204, misspelt] })).rejects.toThrow(/knows no "afterMS"/);
    await expect(start({ paths: { '/hooks': misspelt } })).rejects.toThrow(/knows no "afterMS"/);
    const receiver = await start({});
    expect(() => receiver.answer(misspelt)).toThrow(/knows no "afterMS"/);
  });

  it('ends hanging requests and rejects pending waitFor() calls when it is closed', async () => {
    const receiver = await start({ answers: 'hang' });
    const pendingResponse = post(receiver);
    const pendingWait = receiver.waitFor(2);
    await receiver.waitFor(1);
    const results = Promise.allSettled([pendingResponse, pendingWait]);
    await receiver.close();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await receiver.close();
  });
});
