import { createAuth, memoryStorage } from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import { expect, it, onTestFinished } from 'vitest';
import { demoKeys } from './demo-keys.ts';
import { demoUsers } from './demo-users.ts';
import { publishDemoEvent } from './publish-demo-event.ts';

it.each([
  ['{"event":"Contact.Added","account_id":1,"data":{"n":1}}', 202],
  ['{"event":"Contact.Added","account_id":1,"data":{"n":1e400}}', 400],
  ['{"event":"Contact.Added","account_id":1,"data":[]}', 400],
  ['{"event":"Contact.Added","account_id":0}', 400],
  ['{"event":"Contact.Sold","account_id":1}', 400],
  ['null', 400],
])('publishDemoEvent() responds to the body %s with %d', async (body, status) => {
  const auth = createAuth({
    issuer: 'https://issuer.example',
    users: demoUsers(),
    storage: memoryStorage(),
    keys: demoKeys(),
    webhooks: { worker: inProcessWorker() },
  });
  onTestFinished(() => auth.close());
  expect((await publishDemoEvent(auth, JSON.parse(body))).status).toBe(status);
});
