import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';

describe.each(['express', 'koa'] as const)('a slowly arriving body in %s', (framework) => {
  it('gets 408 after ten seconds', async () => {
    const app = await startTestApp({ framework, storage: 'memory' });
    onTestFinished(() => app.stop());
    const socket = connect(app.port, '127.0.0.1');
    // The test writes to the socket until the server closes it.
    socket.on('error', () => {});
    socket.write(
      'POST /token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
    );
    const trickle = setInterval(() => socket.write(' '), 1000);
    onTestFinished(() => clearInterval(trickle));

    const startedAtMs = performance.now();
    const response = await text(socket);
    expect(performance.now() - startedAtMs).toBeLessThan(11_500);
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    expect(response).toContain('"error":"invalid_request"');
  });
});
