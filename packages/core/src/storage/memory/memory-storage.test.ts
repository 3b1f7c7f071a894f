import { describe, expect, it } from 'vitest';
import { type MemoryStorageOptions, memoryStorage } from './memory-storage.ts';

// What the contracts promise is certified by the testkit, in test/storage.
describe('memoryStorage', () => {
  it('copies the arrays of a new session', async () => {
    const { sessions } = memoryStorage();
    const scopes: ('user' | 'admin')[] = ['user'];
    const session = {
      userId: 'ada',
      sessionId: 's1',
      scopes,
      accountId: null,
      amr: ['pwd'],
      authTimeMs: 0,
      clientAddress: null,
      userAgent: null,
      idleMs: 1000,
      absoluteMs: 1000,
      authenticationMs: 0,
    };
    await sessions.create(session, { maxPerUser: 10 });
    scopes.push('admin');
    const [record] = await sessions.list('ada');
    expect(record?.scopes).toEqual(['user']);
  });

  it('rejects unknown options', () => {
    const open = (options: unknown) => memoryStorage(options as MemoryStorageOptions);
    expect(() => open({ clok: { nowMs: () => 0 } })).toThrow(/^memoryStorage knows no "clok"/);
    expect(() => open(null)).toThrow('[options_invalid]');
  });

  it.each([-1, 1.5, 1_000_001, '5'])('rejects the maxDelivered %j', (maxDelivered) => {
    const open = () => memoryStorage({ maxDelivered } as MemoryStorageOptions);
    expect(open).toThrow(/maxDelivered must be an integer from 0 to 1000000 .*out_of_bounds/);
  });

  it('does not keep the process alive', async () => {
    const { limiters } = memoryStorage();
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    for (let before = Infinity, after = 0; after < before; ) {
      before = timers();
      await limiters?.({ keyPrefix: 'logins', duration: 600 }).penalty('ada');
      after = timers();
      // There may be fewer, if one of the test runner's own timers has fired meanwhile.
      expect(after).toBeLessThanOrEqual(before);
    }
  });
});
