import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { meteredConnector } from './metered-connector.ts';

it('keeps what comes before anybody reads it', async () => {
  const server = createServer((socket) => socket.end('early')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const meter = meteredConnector((_target, callback) => {
    const socket = connect(port, '127.0.0.1', () => callback(null, socket));
  });
  const socket = await new Promise<Socket>((resolve, reject) => {
    meter.connect(
      { hostname: '127.0.0.1', protocol: 'http:', port: String(port) },
      (...connected) => {
        const [error, made] = connected;
        if (error === null) resolve(made);
        else reject(error);
      },
    );
  });
  // As Node does by itself, to have more fetched.
  while (socket.readableLength === 0) {
    socket.read(0);
    await turn();
  }
  socket.read(0);
  expect(String(socket.read())).toBe('early');
});
