import type { WebhookRefusal } from './verify-webhook.ts';

/** The status that a refusal is answered with. Each makes Latchhook try again later. */
export function refusalStatus(reason: WebhookRefusal | 'body_too_large'): 400 | 401 | 413 {
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
