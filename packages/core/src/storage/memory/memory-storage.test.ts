import { describe, expect, it } from 'vitest';
import { type MemoryStorageOptions, memoryStorage } from './memory-storage.ts';

// The testkit certifies the contracts of the storage, in test/storage.
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
      loginAgeMs: 0,
    };
    await sessions.create(session, { maxPerUser: 10 });
    scopes.push('admin');
    const [record] = await sessions.list('ada');
    expect(record?.scopes).toEqual(['user']);
  });

  it('rejects unknown options, and options that are not an object', () => {
    const open = (options: unknown) => memoryStorage(options as MemoryStorageOptions);
    expect(() => open({ clok: { nowMs: () => 0 } })).toThrow(/^memoryStorage knows no "clok"/);
    expect(() => open(null)).toThrow('[options_invalid]');
  });

  it.each([-1, 1.5, 1_000_001, '5'])('rejects %j as maxDelivered', (maxDelivered) => {
    const open = () => memoryStorage({ maxDelivered } as MemoryStorageOptions);
    expect(open).toThrow(/maxDelivered must be an integer from 0 to 1000000 .*out_of_bounds/);
  });

  it('starts no timer that would keep the process alive', async () => {
    const { limiters } = memoryStorage();
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    for (let before = Infinity, after = 0; after < before; ) {
      before = timers();
      await limiters?.({ keyPrefix: 'logins', duration: 600 }).penalty('ada');
      after = timers();
      // One of the test runner's timers may fire in between, so there may be fewer.
      expect(after).toBeLessThanOrEqual(before);
    }
  });
});
