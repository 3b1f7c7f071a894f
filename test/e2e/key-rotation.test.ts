import { randomBytes } from 'node:crypto';
import { createDeliveryContext } from '@latchhook/core/delivery';
import type { Storage } from '@latchhook/core/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refreshSecret, signingKey, startTestApp, type TestApp } from '../support/apps/test-app.ts';
import { codeOf, enrol, logInBy, logInToChallenge } from '../support/clients/mfa-calls.ts';
import { answerChallenge, errorOf } from '../support/clients/token-calls.ts';
import { callsOf, register } from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { CELLS, describeCells } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)] as const;

describe('an encryption key', () => {
  describeCells(CELLS, (cell) => {
    let storage: Storage | undefined;

    /** Starts a process with these keys, on the data of the earlier processes. */
    async function processWith(
      encryption: readonly Buffer[],
      sharedWith?: TestApp,
    ): Promise<TestApp> {
      const app = await startTestApp(cell, {
        ...(sharedWith && { sharedWith }),
        wrapStorage(own) {
          // Processes share a storage in memory only if it is passed on.
          storage = cell.storage === 'memory' && sharedWith ? (storage ?? own) : own;
          return storage;
        },
        auth: {
          keys: { signing: signingKey, refreshSecrets: [refreshSecret], encryption },
          mfa: { enrolment: true },
          webhooks: { worker: handDelivery() },
        },
      });
      onTestFinished(() => app.stop());
      return app;
    }

    /** The secrets that a process with only this key would sign with. */
    async function signedBy(key: Buffer, accountId: number, webhookId: string): Promise<unknown> {
      const { webhooks } = storage ?? {};
      if (storage === undefined || webhooks === undefined) throw new Error('no storage yet');
      const { decryptSecrets } = createDeliveryContext({
        storage,
        keys: { encryption: [key] },
        webhooks: { worker: handDelivery() },
        onSecurityEvent: () => {},
      });
      const ref = { accountId, webhookId };
      const secrets = (await webhooks.find(ref))?.secrets ?? [];
      return decryptSecrets(ref, secrets).map(
        (secret) => `whsec_${Buffer.from(secret).toString('base64')}`,
      );
    }

    it('can be dropped once all secrets are re-encrypted', async () => {
      const before = await processWith([OLD]);
      const webhook = await register(await callsOf(before));
      const { secret } = await enrol(before);

      const during = await processWith([NEW, OLD], before);
      const one = { reencrypted: 1, unreadable: 0 };
      expect(await during.auth.keys.reencrypt()).toEqual({ factors: one, webhookSecrets: one });
      const none = { reencrypted: 0, unreadable: 0 };
      expect(await during.auth.keys.reencrypt()).toEqual({ factors: none, webhookSecrets: none });
      // A process that still has both keys decrypts the re-encrypted secrets.
      during.clock.advance(TOTP_STEP_MS);
      await logInBy(during, codeOf(during, secret));

      const after = await processWith([NEW], during);
      after.clock.advance(TOTP_STEP_MS);
      await logInBy(after, codeOf(after, secret));
      expect(await signedBy(NEW, webhook.account_id, webhook.id)).toEqual([webhook.secret]);
    });

    it('locks users out if it is dropped earlier, and reencrypt() counts the unreadable secrets', async () => {
      const before = await processWith([OLD]);
      await register(await callsOf(before));
      const { secret, recoveryCodes } = await enrol(before);
      const challenge = await logInToChallenge(before);

      const after = await processWith([NEW], before);
      const code = codeOf(after, secret);
      expect(errorOf(await answerChallenge(after, challenge, { code }), 500).error).toBe(
        'server_error',
      );
      const lost = { reencrypted: 0, unreadable: 1 };
      expect(await after.auth.keys.reencrypt()).toEqual({ factors: lost, webhookSecrets: lost });

      // With the old key again, all secrets are readable.
      const again = await processWith([NEW, OLD], after);
      await again.auth.keys.reencrypt();
      await logInBy(again, recoveryCodes[0] ?? '');
    });
  });
});

it('reencrypt() returns null for a feature that the app does not use', async () => {
  const app = await startTestApp({ framework: 'express', storage: 'memory' });
  onTestFinished(() => app.stop());
  expect(await app.auth.keys.reencrypt()).toEqual({
    // Factors in the storage are required at a login even if this app has no enrolment.
    factors: { reencrypted: 0, unreadable: 0 },
    webhookSecrets: null,
  });
});
