import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { httpServer, request, sender, tcpServer } from './receivers.test.support.ts';

describe('createSender and the content of responses', () => {
  it.each([
    ['and no content', ''],
    ['and content', 'ok'],
  ])('accepts a 204 with Content-Length: 2 %s', async (_, content) => {
    const { url } = await tcpServer((socket) => {
      socket.write(`HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n${content}`);
    });
    const { send } = sender();
    for (let count = 1; count <= 2; count++) {
      expect(await send(request(url))).toMatchObject({ status: 204, error: null });
    }
  });

  it('accepts a 304 with Content-Length: 2 and no content', async () => {
    const { url } = await tcpServer((socket) => {
      socket.write('HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n');
    });
    expect(await sender().send(request(url))).toMatchObject({ status: 304, error: null });
  });

  it.each(['Retry-After: 120 ', 'Retry-After: 120\t', 'retry-after:120'])(
    'reads a Retry-After of 120 seconds from %j',
    async (header) => {
      const { url } = await tcpServer((socket) => {
        socket.write(`HTTP/1.1 503 Busy\r\n${header}\r\nContent-Length: 0\r\n\r\n`);
      });
      expect(await sender().send(request(url))).toMatchObject({ retryAfterMs: 120_000 });
    },
  );

  it('does not decompress a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { url, connections } = await tcpServer((socket) => {
      socket.write(
        `HTTP/1.1 500 Broken\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`,
      );
      socket.write(bomb);
    });
    const { send } = sender();
    for (let count = 1; count <= 2; count++) {
      expect(await send(request(url))).toMatchObject({ status: 500, error: null });
    }
    expect(connections()).toBe(1);
  });

  it('cuts off an endless response and returns its status', async () => {
    let written = 0;
    let onClose = (): void => {};
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    const url = await httpServer((_req, res) => {
      const flood = (): void => {
        while (!res.destroyed && res.write('x'.repeat(16_384))) written += 16_384;
      };
      res.on('drain', flood).on('close', onClose);
      flood();
    });
    expect(await sender().send(request(url))).toMatchObject({ status: 200, error: null });
    await closed;
    // Includes the bytes in the buffers of both sockets.
    expect(written).toBeLessThan(16_000_000);
  });

  it('returns the status of an endless response in each of twenty attempts', async () => {
    const { url } = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n', () => {
        const flood = (): void => {
          while (!socket.destroyed && socket.write('x'.repeat(65_536)));
        };
        socket.on('drain', flood);
        setImmediate(flood);
      });
    });
    const { send } = sender();
    for (let count = 1; count <= 20; count += 1) {
      expect(await send(request(url))).toMatchObject({ status: 200, error: null });
    }
  });

  it.each([
    ['endless interim responses', '', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(400)],
    ['endless blank lines', '', '\r\n'.repeat(8_192)],
    ['endless headers of one letter', 'HTTP/1.1 200 OK\r\n', 'x:\r\n'.repeat(4_096)],
    [
      'endless trailers of one letter',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n',
      'x:\r\n'.repeat(4_096),
    ],
    ['an endless reason phrase', 'HTTP/1.1 200 ', 'x'.repeat(16_384)],
    [
      'an endless chunk extension',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;',
      'x'.repeat(16_384),
    ],
    [
      'an endless chunk size',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      '0'.repeat(16_384),
    ],
  ])('cuts off a receiver that sends %s', async (_, beginning, more) => {
    let written = 0;
    const { url, closed } = await tcpServer((socket) => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write(more)) written += more.length;
      };
      socket.write(beginning);
      socket.on('drain', flood);
      flood();
    });
    expect(await sender().send(request(url))).toMatchObject({ error: 'invalid_answer' });
    await closed;
    // Includes the bytes in the buffers of both sockets.
    expect(written).toBeLessThan(16_000_000);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\n'],
    ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n'],
  ])('stops parsing %s that exceed the limit in one write', async (_, beginning) => {
    const { url } = await tcpServer((socket) => {
      socket.write(beginning + 'x: y\r\n'.repeat(20_000));
    });
    const { send } = sender();
    await send(request(url));
    const spentUs: number[] = [];
    // The least of three measurements: they include the garbage collection of other tests.
    for (let time = 1; time <= 3; time += 1) {
      const usageBefore = process.cpuUsage();
      for (let count = 1; count <= 20; count += 1) {
        expect(await send(request(url))).toMatchObject({ error: 'invalid_answer' });
      }
      spentUs.push(process.cpuUsage(usageBefore).user);
    }
    expect(Math.min(...spentUs)).toBeLessThan(400_000);
  });

  it.each([
    [
      'in chunks of one byte',
      'Transfer-Encoding: chunked\r\n\r\n',
      `${'1\r\nx\r\n'.repeat(1_024)}0\r\n\r\n`,
    ],
    [
      'after 16 KB of headers',
      `X: ${'x'.repeat(16_000)}\r\nContent-Length: 60000\r\n\r\n`,
      'x'.repeat(60_000),
    ],
    [
      'of zero bytes after 16 KB of headers',
      `X: ${'x'.repeat(16_000)}\r\nContent-Length: 0\r\n\r\n`,
      '',
    ],
  ])('keeps the connection after content %s', async (_, headers, content) => {
    const { url, connections } = await tcpServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${headers}${content}`);
    });
    const { send } = sender();
    for (let count = 1; count <= 3; count++) {
      expect(await send(request(url))).toMatchObject({ status: 200, error: null });
    }
    expect(connections()).toBe(1);
  });

  it('closes the connection after a response in 1,025 chunks', async () => {
    const { url, connections } = await tcpServer((socket) => {
      const content = `${'1\r\nx\r\n'.repeat(1_025)}0\r\n\r\n`;
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${content}`);
    });
    const { send } = sender();
    for (let count = 1; count <= 3; count++) {
      expect(await send(request(url))).toMatchObject({ status: 200, error: null });
      expect(connections()).toBe(count);
    }
  });

  it('limits the content of each response on a connection separately', async () => {
    const content = 'x'.repeat(60_000);
    const { url, requests } = await tcpServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n${content}`);
    });
    const { send } = sender();
    for (let count = 1; count <= 8; count++) {
      expect(await send(request(url))).toMatchObject({ status: 200, error: null });
      expect(requests()).toBe(count);
    }
  });
});
