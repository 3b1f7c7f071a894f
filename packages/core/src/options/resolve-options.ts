import type { AccountId, AccountIdKind } from '../account-id.ts';
import type { AnyAuthOptions } from '../auth-options.ts';
import { boundedInteger } from '../bounded-integer.ts';
import type { CookiePolicy } from '../cookies/cookie-policy.ts';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import type { AccessTokenClaims } from '../grants/access-token-claims.ts';
import type { PasswordSettings } from '../passwords/password-options.ts';
import type { PersonalAccessTokenPolicy } from '../personal-access-tokens/personal-access-token-policy.ts';
import type { Policy } from '../policy.ts';
import { assertListener } from '../ports/assert-listener.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { SecurityEventListener } from '../ports/security-events.ts';
import type { Deprecation } from '../routes/put-token.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { Storage } from '../storage/storage.ts';
import type { ThrottleOptions } from '../throttle/throttle-options.ts';
import { type ClockTolerance, DEFAULT_CLOCK_TOLERANCE } from '../tokens/access-token.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import type { TokenIdentity } from '../tokens/issue-access-token.ts';
import type { AnyUserStore } from '../users/users.ts';
import { assertAccessTokenClaims, assertClock, assertUsers } from './assert-host-parts.ts';
import { assertTokensFit } from './assert-tokens-fit.ts';
import { resolveEnvironment } from './environment.ts';
import { assertOptionNames } from './option-names.ts';
import { assertBaseUrl, assertIssuer } from './public-url.ts';
import { resolveAccountIdKind } from './resolve-account-id-kind.ts';
import { resolveCookies } from './resolve-cookies.ts';
import { resolveDeprecation } from './resolve-deprecation.ts';
import { type ResolvedEnrolment, resolveEnrolment } from './resolve-enrolment.ts';
import { type ResolvedKeys, resolveKeys } from './resolve-keys.ts';
import { resolvePasswords } from './resolve-passwords.ts';
import { resolvePersonalAccessTokens } from './resolve-personal-access-tokens.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { resolveScopes } from './resolve-scopes.ts';
import { resolveStorage } from './resolve-storage.ts';
import { resolveThrottle } from './resolve-throttle.ts';
import { type ResolvedWebhooks, resolveWebhooks } from './resolve-webhooks.ts';

/** How many verified tokens are cached by default: some 700 bytes each, plus 8 for every account. */
const DEFAULT_TOKEN_CACHE_SIZE = 10_000;

/** The options with every default filled in. A value is `undefined` only if its absence has a meaning. */
export interface ResolvedOptions {
  readonly identity: TokenIdentity;
  readonly users: AnyUserStore;
  readonly scopeTable: ScopeTable;
  readonly accountIdKind: AccountIdKind;
  readonly storage: Storage;
  readonly keys: ResolvedKeys;
  /** `undefined`: the feature is off; users enrol no factors here. */
  readonly enrolment: ResolvedEnrolment | undefined;
  /** `undefined`: the feature is off. */
  readonly webhooks: ResolvedWebhooks | undefined;
  /** `undefined`: the feature is off. */
  readonly personalAccessTokens: PersonalAccessTokenPolicy | undefined;
  readonly policy: Policy;
  readonly throttle: Required<ThrottleOptions> | false;
  readonly passwords: PasswordSettings;
  readonly tokenCacheSize: number;
  readonly clockTolerance: ClockTolerance;
  /** `undefined`: derived from the issuer and the mount path of each request. */
  readonly baseUrl: string | undefined;
  /** `undefined`: the feature is off. */
  readonly cookies: CookiePolicy | undefined;
  readonly putTokenDeprecation: Deprecation;
  readonly accessTokenClaims: AccessTokenClaims<HostClaims, Scope, AccountId> | undefined;
  readonly onSecurityEvent: SecurityEventListener<AccountId> | undefined;
  readonly clock: Clock;
}

/** @throws {ConfigError} for any mistake, with a code and a sentence that says what to write instead */
export function resolveOptions(options: AnyAuthOptions): ResolvedOptions {
  assertOptionNames(options);
  const { issuer, users, baseUrl, accessTokenClaims, onSecurityEvent, webhooks } = options;
  const { audience = issuer, clientId = 'first-party', clock = systemClock } = options;
  const environment = resolveEnvironment(options.environment);
  assertIssuer(issuer, environment);
  assertBaseUrl(baseUrl, environment);
  assertFilled('audience', 'audience_invalid', audience);
  assertFilled('clientId', 'client_id_invalid', clientId);
  assertUsers(users);
  const accountIdKind = resolveAccountIdKind(options.accounts);
  assertAccessTokenClaims(accessTokenClaims);
  if (onSecurityEvent !== undefined) assertListener('onSecurityEvent', onSecurityEvent);
  assertClock(clock);
  const throttle = resolveThrottle(options.throttle);
  const storage = resolveStorage(options.storage, {
    environment,
    clock,
    limiterUses: limiterUses(options),
  });
  const resolved = {
    identity: { issuer, audience, clientId },
    users,
    scopeTable: resolveScopes(options.scopes),
    accountIdKind,
    baseUrl,
    accessTokenClaims,
    onSecurityEvent,
    clock,
    throttle,
    policy: resolvePolicy(options.lifetimes, options.mfa, options.maxSessionsPerUser),
    passwords: resolvePasswords(options.passwords, users),
    tokenCacheSize: boundedInteger(
      'tokenCacheSize',
      options.tokenCacheSize,
      DEFAULT_TOKEN_CACHE_SIZE,
      [2, 1_000_000],
    ),
    clockTolerance: resolveClockTolerance(options.clockToleranceSeconds),
    cookies: resolveCookies(options.cookies, { url: baseUrl ?? issuer, environment }),
    putTokenDeprecation: resolveDeprecation(options.putTokenDeprecation),
    storage,
    personalAccessTokens: resolvePersonalAccessTokens(options.personalAccessTokens, storage),
    enrolment: resolveEnrolment(options.mfa, { issuer, store: storage.mfa }),
    webhooks: webhooks && resolveWebhooks(webhooks, storage),
  };
  const mustEncrypt = resolved.enrolment !== undefined || resolved.webhooks !== undefined;
  const keys = resolveKeys(options.keys, { environment, clock, mustEncrypt });
  assertTokensFit(resolved.identity, keys.signingKeys, clock, {
    scopeTable: resolved.scopeTable,
    accountIdKind,
    hasHostClaims: accessTokenClaims !== undefined,
  });
  return { ...resolved, keys };
}

/** The uses of limiters, for a warning. Called before all options are checked, so some may still be rejected. */
function limiterUses({ throttle, mfa, webhooks }: AnyAuthOptions): readonly string[] {
  return [
    ...(throttle === false ? [] : ['failed logins']),
    ...(mfa?.enrolment ? ['enrolments'] : []),
    ...(webhooks ? ['pings and resends'] : []),
  ];
}

/** A tolerance that the host gives applies to all claims; by default, `exp` has none. */
function resolveClockTolerance(option: number | undefined): ClockTolerance {
  if (option === undefined) return DEFAULT_CLOCK_TOLERANCE;
  const seconds = boundedInteger('clockToleranceSeconds', option, 0, [0, 60]);
  return { expirySeconds: seconds, startSeconds: seconds };
}

function assertFilled(name: string, code: ConfigErrorCode, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new ConfigError(code, `${name} must be a string that is not empty`);
}
