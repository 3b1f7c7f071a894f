import type { CallGuard } from '../faults/call-guard.ts';
import type { PendingCalls } from '../faults/pending-calls.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { AnyUserStore } from '../users/users.ts';
import type { PasswordSettings } from './password-settings.ts';
import { createPasswordVerifier, type PasswordVerifier } from './password-verifier.ts';
import { createRehasher, type Rehasher } from './rehash.ts';
import { createRehashReporter } from './rehash-reporter.ts';

/** What verifies and hashes passwords, and what upgrades a hash after a login. */
export interface Passwords {
  readonly passwords: PasswordVerifier;
  readonly rehash: Rehasher;
}

export interface PasswordsDeps {
  readonly settings: PasswordSettings;
  /** For calls of the host's own verifier. */
  readonly callUserStore: CallGuard;
  readonly users: AnyUserStore;
  /** Counts pending rehashes, which no request waits for. */
  readonly pending: PendingCalls;
  readonly emit: (event: SecurityEvent) => void;
}

export function createPasswords({
  settings,
  callUserStore,
  users,
  pending,
  emit,
}: PasswordsDeps): Passwords {
  const passwords = createPasswordVerifier(guardedPasswords(settings, callUserStore));
  const onOutcome = createRehashReporter(emit);
  const rehash = settings.upgradeHashes
    ? createRehasher({ verifier: passwords, users, pending, onOutcome })
    : keepHash;
  return { passwords, rehash };
}

/** Other code may compare the same column, so hashes are not replaced until the host asks for it. */
const keepHash: Rehasher = () => undefined;

/** A verifier of the host's counts as part of the user store, and has the same timeout. */
function guardedPasswords(settings: PasswordSettings, call: CallGuard): PasswordSettings {
  const { verifier } = settings;
  if (verifier === undefined) return settings;
  return {
    ...settings,
    verifier: (...login: Parameters<typeof verifier>) => call(() => verifier(...login)),
  };
}
