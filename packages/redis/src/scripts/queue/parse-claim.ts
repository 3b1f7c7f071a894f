import type { Claim, ClaimedAttempt, DeliveryRef } from '@latchhook/core/storage';
import type { ScriptReply } from '../../script-reply.ts';
import { parseWebhookName } from '../../webhook-keyspace.ts';
import { parseSecrets } from '../../webhook-record.ts';
import { parseMessage } from './fragments/message.ts';

/** Parses the reply of the script `queue/claim`, which documents the order of the values. */
export function parseClaim(reply: ScriptReply): Claim {
  reply.expectOutcome('claimed');
  const nextInMs = reply.integer();
  const nowMs = reply.integer();
  const poisoned: DeliveryRef[] = [];
  for (let remaining = reply.integer(); remaining > 0; remaining -= 1) {
    poisoned.push({ ...parseWebhookName(reply.text()), deliveryId: reply.text() });
  }
  const attempts: ClaimedAttempt[] = [];
  while (reply.hasMore) parseAttempts(reply, nowMs, attempts);
  return { attempts, poisoned, nextInMs: nextInMs === -1 ? null : nextInMs };
}

/**
 * Appends the attempts of one webhook. Each is one object literal because objects built with spreads are slower to
 * read.
 */
function parseAttempts(reply: ScriptReply, nowMs: number, attempts: ClaimedAttempt[]): void {
  const { accountId, webhookId } = parseWebhookName(reply.text());
  const webhook = { url: reply.text(), secrets: parseSecrets(reply.text(), nowMs) };
  for (let remaining = reply.integer(); remaining > 0; remaining -= 1) {
    const deliveryId = reply.text();
    const attempt = reply.integer();
    const sequence = reply.integer();
    const failures = reply.integer();
    const notCounted = reply.integer();
    const { createdAtMs, expiresAtMs, event, body } = parseMessage(reply.text());
    attempts.push({
      accountId,
      webhookId,
      deliveryId,
      attempt,
      sequence,
      claimedAtMs: nowMs,
      createdAtMs,
      expiresAtMs,
      event,
      failures,
      notCounted,
      body,
      webhook,
    });
  }
}
