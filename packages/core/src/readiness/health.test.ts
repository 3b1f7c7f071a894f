import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  down,
  keys,
  open,
  signing,
  storageWithoutOrigin,
} from './readiness-fixture.test.support.ts';

const HEALTH_TIMEOUT_MS = 1_000;

describe('the health of an app', () => {
  it('follows the state of its storage, even before ready()', async () => {
    let isDown = false;
    const storage = storageWithoutOrigin({ isLive: async () => (isDown ? down() : false) });
    const auth = open({ storage });
    expect(await auth.health()).toEqual({ ok: true, storage: 'ok', signingKey: 'ok' });
    isDown = true;
    expect(await auth.health()).toEqual({ ok: false, storage: 'unavailable', signingKey: 'ok' });
    isDown = false;
    expect((await auth.health()).ok).toBe(true);
  });

  it('reports the storage as unavailable after a second if it never answers', async () => {
    const auth = open({ storage: storageWithoutOrigin({ isLive: () => new Promise(() => {}) }) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const health = auth.health();
    await vi.advanceTimersByTimeAsync(HEALTH_TIMEOUT_MS);
    expect((await health).storage).toBe('unavailable');
  });

  it('is not ok if every signing key has retired', async () => {
    let nowMs = Date.parse('2026-01-01');
    const retiring = { key: signing, retiresAt: new Date('2026-02-01') };
    const auth = open({ keys: { ...keys, signing: retiring }, clock: { nowMs: () => nowMs } });
    expect((await auth.health()).ok).toBe(true);
    nowMs = Date.parse('2026-03-01');
    expect(await auth.health()).toEqual({ ok: false, storage: 'ok', signingKey: 'retired' });
  });

  it('is not ok if a store throws', async () => {
    const isLive = () => {
      throw new Error('it is closed');
    };
    expect((await open({ storage: storageWithoutOrigin({ isLive }) }).health()).ok).toBe(false);
  });

  it('emits no event if the storage is down', async () => {
    const events: string[] = [];
    const onSecurityEvent = ({ type }: { readonly type: string }) => void events.push(type);
    await open({ storage: storageWithoutOrigin({ isLive: down }), onSecurityEvent }).health();
    expect(events).toEqual([]);
  });
});
