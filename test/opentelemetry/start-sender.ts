import type { Auth, AuthOptions, Clock } from '@latchhook/core';
import { createAuth, memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { inProcessWorker, type SendingOptions } from '@latchhook/delivery';
import { instrumentDelivery } from '@latchhook/opentelemetry';
import {
  type FakeReceiver,
  type ReceiverScript,
  startFakeReceiver,
  turnableClock,
} from '@latchhook/testkit';
import { expect, onTestFinished } from 'vitest';
import { ISSUER } from '../support/apps/test-app.ts';
import { testUsers } from '../support/clients/users.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { startTelemetryRecorder, type TelemetryRecorder } from './telemetry-recorder.ts';

export const ACCOUNT_ID = 1;
export const DRAIN = { deadlineMs: PATIENT_MS };
export const ANY_URL = { allowHttp: true, allowPrivateAddresses: true };

interface SenderOptions
  extends Pick<SendingOptions, 'timers'>,
    Pick<AuthOptions, 'onSecurityEvent'> {
  /** Default: a frozen clock, so that no attempt is too late to begin. */
  readonly clock?: Clock;
  readonly storage?: Storage;
  readonly answers?: ReceiverScript;
  readonly recorder?: TelemetryRecorder;
}

/** An app with one webhook and its receiver. */
export interface Sender extends TelemetryRecorder {
  readonly auth: Auth;
  readonly receiver: FakeReceiver;
  readonly webhookId: string;
  /** Returns the id of the event. */
  publish(): Promise<string>;
  /** Publishes an event, and waits for its attempt to end. */
  deliver(): Promise<string>;
}

/** Starts an app whose worker is instrumented, for the length of the test. */
export async function startSender(options: SenderOptions = {}): Promise<Sender> {
  const { clock = turnableClock(), answers = 204, timers, onSecurityEvent } = options;
  const { storage = memoryStorage({ clock }), recorder = startTelemetryRecorder() } = options;
  const receiver = await startFakeReceiver({ answers });
  const worker = inProcessWorker(timers && { timers });
  const auth = createAuth({
    issuer: ISSUER,
    environment: 'development',
    users: await testUsers(),
    ...{ storage, clock },
    ...(onSecurityEvent && { onSecurityEvent }),
    webhooks: { ...ANY_URL, worker: instrumentDelivery(worker, recorder.providers) },
  });
  onTestFinished(async () => {
    await receiver.close();
    await auth.close();
  });
  const creation = await auth.webhooks.create(ACCOUNT_ID, {
    event: 'Contact.Added',
    url: `${receiver.url}/hooks`,
  });
  if (creation.outcome !== 'created') expect.fail(creation.outcome);
  const publish = async (): Promise<string> => {
    const { id } = await auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: {} });
    return id;
  };
  return {
    ...recorder,
    ...{ auth, receiver, publish },
    webhookId: creation.webhook.webhookId,
    async deliver() {
      const id = await publish();
      expect(await auth.drainDeliveries(DRAIN)).toEqual({ outcome: 'drained' });
      return id;
    },
  };
}
