import { vi } from 'vitest';
import type { HostGrant, HostGrantOutcome } from '../grants/host-grant.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createHostLogin } from './host-login.ts';

const refused = { outcome: 'refused', reason: 'disabled' } as const;

/** A login on a grant that has this outcome. */
export function scene(outcome: HostGrantOutcome = refused) {
  const events: SecurityEvent[] = [];
  const grant = vi.fn<HostGrant>(async () => outcome);
  return { grant, events, login: createHostLogin(grant, (event) => events.push(event)) };
}
