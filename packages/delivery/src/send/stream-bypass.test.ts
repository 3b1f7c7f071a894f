import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bypassStreams, connectTcp } from './stream-bypass.ts';

const SHORT_BYTES = 4_096;

/** Both ends of a connection; what is read and written at `near` bypasses the streams. */
async function connected(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const near = connectTcp({ host: '127.0.0.1', port, noDelay: true });
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
    [Socket],
    unknown,
  ];
  far.setNoDelay(true);
  onTestFinished(() => {
    for (const end of [near, far]) end.destroy();
    server.close();
  });
  bypassStreams(near);
  return { near, far };
}

/** All that comes until the other side ends. */
async function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('reading past the stream', () => {
  it('offers what is short before it is buffered', async () => {
    const { near, far } = await connected();
    const offered = new Promise((resolve) => {
      near.once('readable', () => resolve([near.readableLength, String(near.read()), near.read()]));
    });
    far.write('answer');
    expect(await offered).toEqual([0, 'answer', null]);
  });

  it('buffers what is not read when it is offered, and what comes behind it', async () => {
    const { near, far } = await connected();
    for (const text of ['one', 'two', 'three']) {
      const read = near.bytesRead;
      far.write(text);
      while (near.bytesRead === read) await turn();
    }
    expect(String(near.read())).toBe('onetwothree');
  });

  it('keeps all bytes in their order, whenever and however they are read', async () => {
    const { near, far } = await connected();
    const sent = Array.from({ length: 400 }, () =>
      randomBytes(randomInt(4) === 0 ? randomInt(1, 100_000) : randomInt(1, 2 * SHORT_BYTES)),
    );
    const chunks: Buffer[] = [];
    const readSome = (): void => {
      const size = [undefined, undefined, 0, randomInt(1, 2_000)][randomInt(4)];
      const chunk = near.read(size);
      if (chunk !== null) chunks.push(chunk);
    };
    near.on('readable', () => {
      for (let left = randomInt(3); left > 0; left -= 1) readSome();
    });
    for (const chunk of sent) {
      far.write(chunk);
      if (randomInt(2) === 0) await turn();
      if (randomInt(2) === 0) readSome();
    }
    far.end();
    while (!near.readableEnded) {
      const chunk = near.read();
      if (chunk === null) await turn();
      else chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).equals(Buffer.concat(sent))).toBe(true);
  });

  it('leaves a socket that flows as it is', async () => {
    const { near, far } = await connected();
    const sent = randomBytes(50_000);
    const all = received(near);
    for (let at = 0; at < sent.length; at += 700) {
      far.write(sent.subarray(at, at + 700));
      await turn();
    }
    far.end();
    expect((await all).equals(sent)).toBe(true);
  });
});

describe('writing past the stream', () => {
  it('writes what is short in one piece, whatever it is made of', async () => {
    const { near, far } = await connected();
    const written: number[] = [];
    const write = near._write.bind(near);
    near._write = (chunk, encoding, callback) => {
      written.push(chunk.length);
      write(chunk, encoding, callback);
    };
    near.cork();
    near.write('POST / HTTP/1.1\r\n\u00e9: \u00fc\r\n\r\n', 'latin1');
    near.write('{"name":"Zoë €"}', 'utf8');
    near.write(new Uint8Array([1, 2, 255]));
    near.write('00ff', 'hex');
    near.write('AQ ID\n', 'base64');
    near.uncork();
    near.end();
    const expected = Buffer.concat([
      Buffer.from('POST / HTTP/1.1\r\n\u00e9: \u00fc\r\n\r\n', 'latin1'),
      Buffer.from('{"name":"Zoë €"}'),
      Buffer.from([1, 2, 255, 0, 255, 1, 2, 3]),
    ]);
    expect((await received(far)).equals(expected)).toBe(true);
    expect(written).toEqual([expected.length]);
  });

  it('keeps all bytes in their order, and calls back for each piece', async () => {
    const { near, far } = await connected();
    const sent = Array.from({ length: 300 }, () =>
      randomBytes(randomInt(8) === 0 ? randomInt(1, 300_000) : randomInt(1, SHORT_BYTES)),
    );
    const all = received(far);
    const calledBack: number[] = [];
    for (const [nth, chunk] of sent.entries()) {
      if (nth % 3 === 0) near.cork();
      near.write(chunk, () => calledBack.push(nth));
      if (nth % 3 === 2) near.uncork();
      if (randomInt(4) === 0) await turn();
    }
    near.end();
    expect((await all).equals(Buffer.concat(sent))).toBe(true);
    expect(calledBack).toEqual(sent.map((_, nth) => nth));
  });

  it('reports that the other side is gone', async () => {
    const { near, far } = await connected();
    far.resetAndDestroy();
    const failed = new Promise<Error | null | undefined>((resolve) => {
      near.on('error', () => {});
      const writeOn = (): void => {
        near.cork();
        near.write('head', 'latin1');
        near.write(Buffer.from('body'), (error) =>
          error ? resolve(error) : setImmediate(writeOn),
        );
        near.uncork();
      };
      writeOn();
    });
    expect(await failed).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
  });
});
