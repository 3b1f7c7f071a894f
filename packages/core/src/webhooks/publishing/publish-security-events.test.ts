import { describe, expect, it, vi } from 'vitest';
import type { AccountId } from '../../account-id.ts';
import { AuthError } from '../../errors.ts';
import { PendingCalls } from '../../faults/call-guard.ts';
import { resolveEvents } from '../../options/resolve-events.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { AnyUser } from '../../users/users.ts';
import { createPublishSecurityEvents } from './publish-security-events.ts';
import type { CheckedEvent } from './publisher.ts';

const client = { clientAddress: '192.0.2.1', userAgent: 'curl' };
const loggedIn = (accountId: AccountId | null): SecurityEvent => ({
  type: 'login.succeeded',
  userId: 'ada',
  sessionId: 's1',
  accountId,
  scopes: ['user'],
  amr: ['pwd'],
  actor: 'user',
  ...client,
});
const reusedIn = (accountId: AccountId | null): SecurityEvent => ({
  type: 'session.reused',
  userId: 'ada',
  sessionId: 's1',
  accountId,
  ...client,
});
const REUSED = reusedIn(null);

/** An app that has put two security events among its events. */
function fixture(
  answers: { publish?: () => Promise<never>; find?: () => Promise<AnyUser | null> } = {},
) {
  const published: CheckedEvent[] = [];
  const faults: SecurityEvent[] = [];
  const ada: AnyUser = { id: 'ada', passwordHash: null, accounts: [1, 2, 1] };
  const findById = vi.fn(answers.find ?? (async () => ada));
  const pending = new PendingCalls();
  const publish = createPublishSecurityEvents({
    types: resolveEvents({
      'login.new': { securityEvent: 'login.succeeded' },
      'session.stolen': { securityEvent: 'session.reused' },
      'invoice.paid': {},
    }),
    publishEvent: async (event) => {
      await answers.publish?.();
      published.push(event);
      return { id: event.id, deliveries: 1 };
    },
    users: { findById },
    pending,
    publishing: new PendingCalls(),
    clock: { nowMs: () => 0 },
    emit: (event) => void faults.push(event),
  });
  if (publish === undefined) throw new Error('none are named');
  return { publish, published, faults, findById, settled: () => pending.settled() };
}

describe('security events that an app publishes', () => {
  it('are published once to each account of the user, under the name that the app defines', async () => {
    const at = fixture();
    at.publish(REUSED);
    await at.settled();
    expect(at.published).toMatchObject([
      { event: 'session.stolen', accountId: 1 },
      { event: 'session.stolen', accountId: 2 },
    ]);
    expect(new Set(at.published.map(({ id }) => id)).size).toBe(2);
  });

  it('are published to the account that they name, without a user look-up', async () => {
    const at = fixture();
    at.publish(loggedIn(2));
    await at.settled();
    at.publish(reusedIn(1));
    await at.settled();
    expect(at.published).toMatchObject([
      { event: 'login.new', accountId: 2 },
      { event: 'session.stolen', accountId: 1 },
    ]);
    expect(at.findById).not.toHaveBeenCalled();
  });

  it('are published to accounts with string ids', async () => {
    const ada: AnyUser = { id: 'ada', passwordHash: null, accounts: ['acme', '1'] };
    const at = fixture({ find: async () => ada });
    at.publish(REUSED);
    at.publish(loggedIn('acme'));
    await at.settled();
    expect(at.published.map(({ event, accountId }) => [event, accountId])).toEqual(
      expect.arrayContaining([
        ['session.stolen', 'acme'],
        ['session.stolen', '1'],
        ['login.new', 'acme'],
      ]),
    );
    expect(at.published).toHaveLength(3);
  });

  it('contain only the documented fields', async () => {
    const at = fixture();
    at.publish(Object.assign(loggedIn(1), { password: 's3cret', atMs: 7 }));
    await at.settled();
    expect(at.published[0]?.data).toEqual({
      user_id: 'ada',
      session_id: 's1',
      scopes: ['user'],
      amr: ['pwd'],
      actor: 'user',
      client_address: '192.0.2.1',
      user_agent: 'curl',
    });
  });

  it('include no type that the app has not listed', async () => {
    const at = fixture();
    at.publish({ type: 'factor.enrolled', userId: 'ada', ...client });
    at.publish({ type: 'fault', where: 'storage', error: new Error('down') });
    await at.settled();
    expect(at.published).toEqual([]);
    expect(at.findById).not.toHaveBeenCalled();
  });

  it('are not published if their user is gone', async () => {
    const at = fixture({ find: async () => null });
    at.publish(REUSED);
    await at.settled();
    expect([at.published, at.faults]).toEqual([[], []]);
  });

  it('cause only one fault while they cannot be stored', async () => {
    const down = new AuthError('temporarily_unavailable', 'Try again.', {
      where: 'storage',
      cause: new Error('down'),
    });
    const at = fixture({ publish: () => Promise.reject(down) });
    for (let i = 0; i < 10; i += 1) at.publish(REUSED);
    await at.settled();
    expect(at.faults).toEqual([{ type: 'fault', where: 'storage', error: new Error('down') }]);
  });

  it('are published four at a time, and dropped with a fault if 1,000 already wait', async () => {
    let release = (): void => {};
    const blockedLookup = new Promise<null>((resolve) => {
      release = () => resolve(null);
    });
    const at = fixture({ find: () => blockedLookup });
    for (let i = 0; i < 1_005; i += 1) at.publish(REUSED);
    expect(at.findById).toHaveBeenCalledTimes(4);
    expect(at.faults).toMatchObject([{ type: 'fault', where: 'internal' }]);
    release();
    await at.settled();
    expect(at.findById).toHaveBeenCalledTimes(1_004);
  });

  it('are not observed if the app lists none', () => {
    const types = resolveEvents(undefined);
    const [pending, publishing] = [new PendingCalls(), new PendingCalls()];
    const deps = { types, pending, publishing, clock: { nowMs: () => 0 }, emit: () => {} };
    expect(
      createPublishSecurityEvents({
        ...deps,
        publishEvent: async () => ({ id: '', deliveries: 0 }),
        users: { findById: async () => null },
      }),
    ).toBeUndefined();
  });
});
