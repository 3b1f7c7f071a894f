import type { AuthOptions } from './auth-options.ts';
import { ConfigError } from './errors.ts';
import type { Policy } from './policy.ts';
import { type Clock, systemClock } from './ports/clock.ts';
import { warn } from './ports/warning.ts';
import { type ResolvedKeys, resolveKeys } from './resolve-keys.ts';
import { resolvePolicy } from './resolve-policy.ts';
import type { Deprecation } from './routes/put-token.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';
import type { Storage } from './storage/storage.ts';
import { DEFAULT_THROTTLE, type ThrottleOptions } from './throttle/throttle-options.ts';

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
  readonly policy: Policy;
  readonly keys: ResolvedKeys;
  readonly storage: Storage;
  readonly throttle: Required<ThrottleOptions> | false;
  readonly putTokenDeprecation: Deprecation;
  readonly clock: Clock;
}

/** @throws {ConfigError} for any mistake, with a code and a sentence that says what to write instead */
export function resolveOptions(options: AuthOptions): ResolvedOptions {
  const { clock = systemClock, audience = options.issuer, clientId = 'first-party' } = options;
  const environment =
    options.environment ??
    (process.env['NODE_ENV'] === 'production' ? 'production' : 'development');
  assertIssuer(options.issuer, environment);
  assertFilled('audience', audience);
  assertFilled('clientId', clientId);
  assertUsers(options);
  return {
    issuer: options.issuer,
    audience,
    clientId,
    policy: resolvePolicy(options.lifetimes, options.mfa, options.maxSessionsPerUser),
    keys: resolveKeys(options.keys, environment, clock),
    storage: options.storage ?? processMemory(environment, clock),
    throttle: resolveThrottle(options.throttle),
    putTokenDeprecation: options.putTokenDeprecation ?? { since: new Date('2026-01-01T00:00:00Z') },
    clock,
  };
}

function processMemory(environment: 'production' | 'development', clock: Clock): Storage {
  if (environment === 'production') {
    warn(
      'LATCHHOOK_STORAGE',
      'storage is this process’s memory: logins end with it and no other process knows them',
    );
  }
  return memoryStorage({ clock });
}

function resolveThrottle(throttle: AuthOptions['throttle']): Required<ThrottleOptions> | false {
  if (throttle === false) return false;
  const resolved = { ...DEFAULT_THROTTLE, ...throttle };
  for (const [name, value] of Object.entries(resolved)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new ConfigError('option_out_of_bounds', `throttle.${name} must be an integer from 1`);
  }
  return resolved;
}

function assertIssuer(issuer: string, environment: 'production' | 'development'): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || !isSafe(url, environment) || url.search || url.hash || url.username) {
    throw new ConfigError(
      'issuer_invalid',
      'issuer must be an https: URL without query and fragment, such as https://api.example.com',
    );
  }
}

/** Plain http would show every token to the network; to this machine's own it does not go. */
function isSafe({ protocol, hostname }: URL, environment: 'production' | 'development'): boolean {
  if (protocol === 'https:') return true;
  const loopback = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'http:' && (loopback || environment === 'development');
}

function assertFilled(name: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new ConfigError(`${name}_invalid`, `${name} must be a string that is not empty`);
}

function assertUsers({ users }: AuthOptions): void {
  if (typeof users?.findByUsername === 'function' && typeof users.findById === 'function') return;
  throw new ConfigError('users_missing', 'users must have the methods findByUsername and findById');
}
