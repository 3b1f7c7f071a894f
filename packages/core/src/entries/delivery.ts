// `@latchhook/core/delivery`: the parts of core that a worker needs to send webhooks. Each name is in one entry only:
// names that apps use too are in `../index.ts`, and the store that a worker claims from is in `storage.ts`.

import '../loading/sole-copy.ts';

export { createDeliveryContext } from '../create-delivery-context.ts';
export type { DeliveryContextOptions } from '../delivery-context-options.ts';
export { type LazyModule, type LazyModuleSource, lazyModule } from '../loading/lazy-module.ts';
export { preload } from '../loading/preload.ts';
export { monotonicMs } from '../ports/clock.ts';
export { systemTimers, type Timers } from '../ports/timers.ts';
export type { DeliveryContext } from '../webhooks/deliveries/delivery-context.ts';
export type { DeliveryPolicy } from '../webhooks/deliveries/delivery-policy.ts';
export {
  type ParsedWebhookUrl,
  parseWebhookUrl,
  type WebhookUrlRejection,
  type WebhookUrlRules,
} from '../webhooks/urls/parse-webhook-url.ts';
export { portOf } from '../webhooks/urls/port-of.ts';
export { isPublicAddress } from '../webhooks/urls/public-address.ts';
