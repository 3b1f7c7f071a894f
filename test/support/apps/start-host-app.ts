import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Auth, type AuthOptions, createAuth } from '@latchhook/core';
import { latchhook, requireAuth } from '@latchhook/express';
import express from 'express';
import { onTestFinished } from 'vitest';
import { portOf } from '../servers/free-port.ts';
import { type AppClient, connectApp } from './app-client.ts';

/** An app in this process, for tests that call the `Auth` of the host. */
export interface HostApp {
  readonly auth: Auth;
  readonly client: AppClient;
}

const KEYS = {
  signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  refreshSecrets: [randomBytes(32)],
};

/** Starts an app, until the end of the test. All such apps accept each other's tokens. */
export async function startHostApp(
  options: Omit<AuthOptions, 'issuer' | 'keys'>,
): Promise<HostApp> {
  const auth = createAuth({ issuer: 'http://127.0.0.1:3000', keys: KEYS, ...options });
  const app = express();
  app.use(latchhook(auth));
  app.get('/me', requireAuth(auth, { scope: 'user' }), (req, res) => {
    res.json({ user: req.auth?.userId });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectApp(`http://127.0.0.1:${portOf(server)}`);
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return { auth, client };
}
