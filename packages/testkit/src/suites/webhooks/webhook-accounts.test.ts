import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyAccounts } from '../../self-test/faulty-accounts.ts';
import { faultyDeliveries, faultyResults } from '../../self-test/faulty-storage.ts';
import { webhookAccounts } from './webhook-accounts.ts';

const FAULTS = {
  'folds letter case': faultyAccounts((id) => id.toLowerCase()),
  'reads ids as numbers': faultyAccounts((id) => (Number.isNaN(Number(id)) ? id : Number(id))),
  'truncates ids to 63 characters': faultyAccounts((id) => id.slice(0, 63)),
  'splits ids at a colon': faultyAccounts((id) => id.split(':')[0] ?? ''),
  'splits ids at a slash': faultyAccounts((id) => id.split('/')[0] ?? ''),
  'truncates ids at a brace': faultyAccounts((id) => id.split('}')[0] ?? ''),
  'percent-decodes ids': faultyAccounts((id) => id.replaceAll('%2F', '/')),
};

/** Remembers each idempotency key as one text with the account id. */
const joinKeys = (separator: string) =>
  faultyDeliveries((deliveries) => {
    const names = new Set<string>();
    return {
      publish: async (message) => {
        const name = `${message.accountId}${separator}${message.idempotencyKey}`;
        const { messageId } = message;
        if (names.has(name)) return { outcome: 'duplicate', messageId, deliveries: 1, expired: [] };
        names.add(name);
        return deliveries.publish(message);
      },
    };
  });

expectWebhookFaultsNoticed(webhookAccounts, {
  'keeps webhooks of similar account ids apart': FAULTS,
  'returns the account id of each encrypted secret': FAULTS,
  'keeps deliveries of similar account ids apart, with equal message ids and keys': FAULTS,
  'keeps apart pairs of account id and idempotency key that join to the same text': {
    'joins account id and key with a colon': joinKeys(':'),
    'joins account id and key with a slash': joinKeys('/'),
  },
  'limits attempts in flight per account, also for similar ids': {
    'folds letter case': FAULTS['folds letter case'],
    'counts all accounts together': faultyResults('deliveries', 'claim', (claim) => ({
      ...claim,
      attempts: claim.attempts.slice(0, 1),
      nextInMs: null,
    })),
  },
});
