import type { WebhookRejection } from './verify-webhook.ts';

/** The status of the response to a rejected webhook. Latchhook retries after each of these statuses. */
export function rejectionStatus(reason: WebhookRejection | 'body_too_large'): 400 | 401 | 413 {
  switch (reason) {
    case 'body_too_large':
      return 413;
    case 'header_missing':
    case 'header_malformed':
    case 'body_malformed':
      return 400;
    case 'too_old':
    case 'too_new':
    case 'no_match':
      return 401;
  }
}
