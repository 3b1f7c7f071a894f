// `@latchhook/core/delivery`: for authors of delivery engines. The contract, and what an engine needs of core to hold
// the promises of webhooks. A name is in one entry only: what the app knows too is in `../index.ts`, the deliveries
// that an engine starts and finishes are in `storage.ts`.

import '../loading/sole-copy.ts';

export { createDeliveryContext } from '../create-delivery-context.ts';
export type { DeliveryContextOptions } from '../delivery-context-options.ts';
export { type LazyModule, type LazyModuleSource, lazyModule } from '../loading/lazy-module.ts';
export { preload } from '../loading/preload.ts';
export { monotonicMs } from '../ports/clock.ts';
export { systemTimers, type Timers } from '../ports/timers.ts';
export { RecentLeast } from '../recent-least.ts';
export { SlotMap } from '../slot-map.ts';
export { type RescheduleDeps, rescheduleHead } from '../webhooks/backlog/reschedule-page.ts';
export type {
  DeliveryContext,
  DeliveryEngine,
  DeliveryQueue,
} from '../webhooks/deliveries/delivery-engine.ts';
export type { DeliveryPolicy } from '../webhooks/deliveries/delivery-policy.ts';
export {
  type PublishedDeliveries,
  type SettlePublishedDeps,
  settlePublished,
} from '../webhooks/publishing/settle-published.ts';
export {
  type ParsedWebhookUrl,
  parseWebhookUrl,
  type WebhookUrlRefusal,
  type WebhookUrlRules,
} from '../webhooks/urls/parse-webhook-url.ts';
export { portOf } from '../webhooks/urls/port-of.ts';
export { isPublicAddress } from '../webhooks/urls/public-address.ts';
