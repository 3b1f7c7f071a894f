import { inProcessWorker } from '@latchhook/delivery';
import { type FakeReceiver, startFakeReceiver } from '@latchhook/testkit';
import { onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';

/** An app that sends, and a receiver that accepts everything. Both end with the test. */
export async function startSendingApp(): Promise<{ app: TestApp; receiver: FakeReceiver }> {
  const receiver = await startFakeReceiver({ answers: 204 });
  const app = await startTestApp(
    { framework: 'express', storage: 'memory' },
    {
      auth: {
        webhooks: {
          worker: inProcessWorker(),
          allowHttp: true,
          allowPrivateAddresses: true,
        },
      },
    },
  );
  onTestFinished(async () => {
    app.stop();
    await app.auth.close();
    await receiver.close();
  });
  return { app, receiver };
}
