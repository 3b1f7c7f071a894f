import type { CallGuard, PendingCalls } from '../faults/call-guard.ts';
import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { AnyUserStore } from '../users/users.ts';
import type { PasswordSettings } from './password-options.ts';
import { createPasswordVerifier, type PasswordVerifier } from './password-verifier.ts';
import { createRehasher, type Rehasher, type RehasherDeps } from './rehash.ts';

/** The verifier of passwords, and the function that upgrades a hash after a login. */
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
  const onOutcome = emitRehash(emit);
  const rehash = settings.upgradeHashes
    ? createRehasher({ verifier: passwords, users, pending, onOutcome })
    : keepHash;
  return { passwords, rehash };
}

/** Other code may compare the same column, so hashes are not replaced unless the host turns `upgradeHashes` on. */
const keepHash: Rehasher = () => undefined;

/** The host's own verifier counts as part of the user store, and has the same timeout. */
function guardedPasswords(settings: PasswordSettings, call: CallGuard): PasswordSettings {
  const { verifier } = settings;
  if (verifier === undefined) return settings;
  return {
    ...settings,
    verifier: (...login: Parameters<typeof verifier>) => call(() => verifier(...login)),
  };
}

/** Emits the outcome of a rehash; a skipped rehash has no event. */
function emitRehash(emit: (event: SecurityEvent) => void): RehasherDeps['onOutcome'] {
  return (userId, result, client) => {
    const { outcome } = result;
    if (outcome === 'failed') emitFaultOf(result.error, emit);
    if (outcome === 'replaced' || outcome === 'stale') {
      const replaced = outcome === 'replaced';
      emit({ type: 'password.rehashed', userId, replaced, ...client });
    }
  };
}
