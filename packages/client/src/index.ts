// `@latchhook/client`: for browsers, Node.js, React Native and workers. Depends on nothing.

export type {
  ChallengeRequest,
  Client,
  ClientOptions,
  LoginOutcome,
  LoginRequest,
  LogoutOutcome,
} from './client.ts';
export { ClientError, type ClientErrorDetails, type FieldError } from './client-error.ts';
export { type ClientStorage, type MaybePromise, memoryStorage } from './client-storage.ts';
export { createClient } from './create-client.ts';
export type { SessionState } from './session-state.ts';
export type { AccountId, Session } from './stored-login.ts';
export { type WebStorageOptions, webStorage } from './web-storage.ts';
