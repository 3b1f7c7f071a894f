export { expressWebhook, type WebhookHandler, type WebhookRequest } from './express-webhook.ts';
export type { WebhookHeaders } from './header-value.ts';
export { koaWebhook, type WebhookContext, type WebhookMiddleware } from './koa-webhook.ts';
export { type ReceiveOptions, type ReceiveOutcome, receiveWebhook } from './receive-webhook.ts';
export type {
  ReceivedWebhook,
  WebhookAccountIds,
  WebhookData,
  WebhookDataOf,
  WebhookOf,
  WebhookType,
} from './received-webhook.ts';
export { rejectionStatus } from './rejection-status.ts';
export type { WebhookSecret } from './secret-bytes.ts';
export { type SignedHeaders, type SignRequest, signWebhook } from './sign-webhook.ts';
export {
  type SignatureOutcome,
  type SignatureRejection,
  type VerifyRequest,
  verifySignature,
} from './verify-signature.ts';
export { type VerifyOutcome, verifyWebhook, type WebhookRejection } from './verify-webhook.ts';
