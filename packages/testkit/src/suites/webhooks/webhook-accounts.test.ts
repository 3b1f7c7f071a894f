import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { readingAccountsAs } from '../../self-test/faulty-accounts.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { webhookAccounts } from './webhook-accounts.ts';

const FAULTS = {
  'folds letter case': readingAccountsAs((id) => id.toLowerCase()),
  'reads numbers': readingAccountsAs((id) => (Number.isNaN(Number(id)) ? id : Number(id))),
  'cuts at 63': readingAccountsAs((id) => id.slice(0, 63)),
  'takes texts apart at a colon': readingAccountsAs((id) => id.split(':')[0] ?? ''),
  'takes texts apart at a slash': readingAccountsAs((id) => id.split('/')[0] ?? ''),
  'takes a brace for the end of a hash tag': readingAccountsAs((id) => id.split('}')[0] ?? ''),
  'decodes what is percent-encoded': readingAccountsAs((id) => id.replaceAll('%2F', '/')),
};

/** Remembers keys under one text with the account. */
const joinsKeys = (by: string) =>
  deliveriesThat(({ deliveries }) => {
    const known = new Set<string>();
    return {
      publish: async (message) => {
        const name = `${message.accountId}${by}${message.idempotencyKey}`;
        const { messageId } = message;
        if (known.has(name)) return { outcome: 'duplicate', messageId, deliveries: 1, expired: [] };
        known.add(name);
        return deliveries.publish(message);
      },
    };
  });

expectWebhookFaultsNoticed(webhookAccounts, {
  'have webhooks of their own, however alike the ids are': FAULTS,
  'are told by what is encrypted': FAULTS,
  'are sent deliveries of their own, under the same ids and keys': FAULTS,
  'have keys of their own, whatever joins the two': {
    'joins them by a colon': joinsKeys(':'),
    'joins them by a slash': joinsKeys('/'),
  },
  'are capped each by itself': {
    'folds letter case': FAULTS['folds letter case'],
    'counts all accounts together': deliveriesThat(({ deliveries }) => ({
      claim: async (request) => {
        const claim = await deliveries.claim(request);
        return { ...claim, attempts: claim.attempts.slice(0, 1), nextInMs: null };
      },
    })),
  },
});
