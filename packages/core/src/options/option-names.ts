import { assertNames, type NamesOf } from '../assert-names.ts';
import type {
  AccountOptions,
  AnyAuthOptions,
  AuthOptions,
  KeyOptions,
  LifetimeOptions,
  MfaOptions,
} from '../auth-options.ts';
import type { CookieOptions } from '../cookies/cookie-options.ts';
import type { DeliveryContextOptions } from '../delivery-context-options.ts';
import { ConfigError } from '../errors.ts';
import type { PasswordOptions } from '../passwords/password-options.ts';
import type { PersonalAccessTokenOptions } from '../personal-access-tokens/personal-access-token-options.ts';
import type { Deprecation } from '../routes/put-token.ts';
import type { ThrottleOptions } from '../throttle/throttle-options.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';

const AUTH: NamesOf<AuthOptions> = {
  issuer: true,
  audience: true,
  clientId: true,
  users: true,
  accounts: true,
  storage: true,
  keys: true,
  lifetimes: true,
  throttle: true,
  passwords: true,
  mfa: true,
  webhooks: true,
  personalAccessTokens: true,
  maxSessionsPerUser: true,
  tokenCacheSize: true,
  clockToleranceSeconds: true,
  baseUrl: true,
  cookies: true,
  putTokenDeprecation: true,
  accessTokenClaims: true,
  scopes: true,
  onSecurityEvent: true,
  environment: true,
  clock: true,
};

const KEYS: NamesOf<KeyOptions> = { signing: true, refreshSecrets: true, encryption: true };

const ACCOUNTS: NamesOf<AccountOptions> = { id: true };

const LIFETIMES: NamesOf<LifetimeOptions> = {
  accessTokenSeconds: true,
  maxAccessTokenSeconds: true,
  refreshIdleSeconds: true,
  refreshAbsoluteSeconds: true,
  refreshGraceSeconds: true,
  challengeSeconds: true,
};

const THROTTLE: NamesOf<ThrottleOptions> = {
  identifierFailures: true,
  lockSeconds: true,
  maxLockSeconds: true,
  addressFailures: true,
  addressWindowSeconds: true,
  knownAddressDays: true,
};

const PASSWORDS: NamesOf<PasswordOptions> = {
  schemes: true,
  upgradeHashes: true,
  verifier: true,
  limitConcurrency: true,
  memoryKib: true,
  iterations: true,
  normalization: true,
  concurrency: true,
  maxWaitMs: true,
};

const MFA: NamesOf<MfaOptions> = {
  enrolment: true,
  issuerName: true,
  attemptsPerChallenge: true,
  failuresBeforeLock: true,
  lockSeconds: true,
  maxLockSeconds: true,
  failuresBeforeSuspension: true,
};

const WEBHOOKS: NamesOf<WebhookOptions> = {
  worker: true,
  allowHttp: true,
  allowPrivateAddresses: true,
  allowedPorts: true,
  maxPerAccount: true,
  retentionDays: true,
  maxQueuedPerWebhook: true,
  maxInFlightPerWebhook: true,
  maxInFlightPerAccount: true,
  disableAfterDays: true,
  events: true,
};

const PERSONAL_ACCESS_TOKENS: NamesOf<PersonalAccessTokenOptions> = {
  staleSeconds: true,
  maxPerUser: true,
  maxDays: true,
};

const COOKIES: NamesOf<CookieOptions> = { sameSite: true, origins: true };

const PUT_TOKEN_DEPRECATION: NamesOf<Deprecation> = { since: true, sunset: true };

const DELIVERY_CONTEXT: NamesOf<DeliveryContextOptions> = {
  storage: true,
  keys: true,
  webhooks: true,
  clock: true,
  onSecurityEvent: true,
};

/** The values that a group can have instead of an object. */
const OTHER_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  throttle: [false],
  personalAccessTokens: [false],
  cookies: [true, false],
};

const GROUPS = [
  ['keys', 'keys_invalid', KEYS],
  ['accounts', 'accounts_invalid', ACCOUNTS],
  ['lifetimes', 'lifetimes_invalid', LIFETIMES],
  ['throttle', 'throttle_invalid', THROTTLE],
  ['passwords', 'passwords_invalid', PASSWORDS],
  ['mfa', 'mfa_invalid', MFA],
  ['webhooks', 'webhooks_invalid', WEBHOOKS],
  ['personalAccessTokens', 'personal_access_tokens_invalid', PERSONAL_ACCESS_TOKENS],
  ['cookies', 'cookies_invalid', COOKIES],
  ['putTokenDeprecation', 'put_token_deprecation_invalid', PUT_TOKEN_DEPRECATION],
] as const;

/**
 * Rejects unknown options, at the top level and in every group: otherwise, if `refreshSecrets` is misspelt, secrets
 * would be generated that are lost with the process.
 *
 * @throws {ConfigError} `option_unknown`, and `options_invalid` or `<group>_invalid` if one of them is not an object
 */
export function assertOptionNames(options: AnyAuthOptions): void {
  assertNames('createAuth', 'options_invalid', options, AUTH);
  for (const [group, code, names] of GROUPS) {
    const value = options[group];
    if (value === undefined || OTHER_VALUES[group]?.includes(value)) continue;
    assertNames(group, code, value, names);
  }
}

/**
 * Rejects unknown options of `createDeliveryContext`.
 *
 * @param caller - the function that the integrator has called, for the messages
 * @throws {ConfigError} `option_unknown`, and `options_invalid` or `<group>_invalid` if one of them is not an object
 */
export function assertDeliveryContextNames(caller: string, options: DeliveryContextOptions): void {
  assertNames(caller, 'options_invalid', options, DELIVERY_CONTEXT);
  // A sender needs only `encryption`, but the app's whole `keys` may be given.
  if (typeof options.keys !== 'object' || options.keys === null) {
    throw new ConfigError(
      'keys_invalid',
      'keys must be { encryption: [...] }, the same as createAuth is given: what it has encrypted is decrypted here',
    );
  }
  assertNames('keys', 'keys_invalid', options.keys, KEYS);
  const { webhooks = {} } = options;
  assertNames('webhooks', 'webhooks_invalid', webhooks, WEBHOOKS);
}
