import type { MfaOptions } from '../auth-options.ts';
import { ConfigError } from '../errors.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import { requireStore } from './require-store.ts';

/** The QR code contains the name twice, and has no room for a longer name. */
const MAX_ISSUER_NAME_CHARS = 64;

/** The settings that enrolment needs in addition to a storage that keeps factors. */
export interface ResolvedEnrolment {
  readonly issuerName: string;
}

export interface ResolveEnrolmentDeps {
  readonly issuer: string;
  /** The storage's part for second factors, not yet checked. */
  readonly store: MfaStore | undefined;
}

/**
 * The settings of enrolment; `undefined` if the host does not turn it on.
 *
 * @throws {ConfigError} `mfa_invalid`, `storage_invalid`
 */
export function resolveEnrolment(
  { enrolment = false, issuerName }: MfaOptions = {},
  { issuer, store }: ResolveEnrolmentDeps,
): ResolvedEnrolment | undefined {
  assertFlag(enrolment);
  if (issuerName !== undefined) assertIssuerName(issuerName);
  // The storage is asked for factors at every login, even if users do not enrol here, so it must be complete.
  if (enrolment || store !== undefined) {
    requireStore('mfa', store, { mustKeep: 'second factors where mfa.enrolment is true' });
  }
  if (!enrolment) return undefined;
  return {
    issuerName: issuerName ?? new URL(issuer).hostname,
  };
}

/** The text `'false'`, the value of an environment variable, must not turn enrolment on. */
function assertFlag(enrolment: unknown): void {
  if (typeof enrolment === 'boolean') return;
  throw new ConfigError('mfa_invalid', 'mfa.enrolment must be true or false');
}

function assertIssuerName(name: unknown): void {
  const isLabel =
    typeof name === 'string' &&
    name.isWellFormed() &&
    /^[^:\p{Cc}]+$/u.test(name) &&
    name.length <= MAX_ISSUER_NAME_CHARS;
  if (isLabel) return;
  throw new ConfigError(
    'mfa_invalid',
    `mfa.issuerName must be a name of 1 to ${MAX_ISSUER_NAME_CHARS} characters without a colon, such as Example Inc`,
  );
}
