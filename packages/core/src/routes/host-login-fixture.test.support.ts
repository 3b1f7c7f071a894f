import { vi } from 'vitest';
import type { HostGrant, HostGrantOutcome } from '../grants/host-grant.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { createHostLogin } from './host-login.ts';

const rejected = { outcome: 'rejected', reason: 'disabled' } as const;

/** `auth.login` with a grant that has this outcome. */
export function fixture(outcome: HostGrantOutcome = rejected) {
  const events: SecurityEvent[] = [];
  const grant = vi.fn<HostGrant>(async () => outcome);
  return {
    grant,
    events,
    login: createHostLogin(grant, builtInScopes, 'integer', (event) => events.push(event)),
  };
}
