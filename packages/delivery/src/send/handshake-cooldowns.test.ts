import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CERTIFICATES, cooldownScene } from './handshake-cooldowns.test.support.ts';

describe('an endpoint whose handshake failed', () => {
  it('cools down for two hundred times as long as it kept the process busy', () => {
    const { clock, isCoolingDown, shakeHands } = cooldownScene();
    shakeHands('a.test:443', 100, 'failed');
    expect(isCoolingDown('a.test:443')).toBe(true);
    expect(isCoolingDown('b.test:443')).toBe(false);
    clock.now += 19_999;
    expect(isCoolingDown('a.test:443')).toBe(true);
    clock.now += 1;
    expect(isCoolingDown('a.test:443')).toBe(false);
  });

  it('cools down as well if it succeeded, but took more bytes than any ordinary one', () => {
    const { isCoolingDown, shakeHands } = cooldownScene();
    shakeHands('a.test:443', 100, 'done', { bytesRead: 16_384 });
    shakeHands('b.test:443', 100, 'done', { bytesRead: 16_385 });
    shakeHands('c.test:443', 24, 'done', { bytesRead: 100_000 });
    const coolingDown = ['a.test:443', 'b.test:443', 'c.test:443'].filter((endpoint) =>
      isCoolingDown(endpoint),
    );
    expect(coolingDown).toEqual(['b.test:443']);
  });

  it('cools down for ten minutes at most', () => {
    const { clock, isCoolingDown, shakeHands } = cooldownScene();
    shakeHands('a.test:443', 60_000, 'failed');
    clock.now += 599_999;
    expect(isCoolingDown('a.test:443')).toBe(true);
    clock.now += 1;
    expect(isCoolingDown('a.test:443')).toBe(false);
  });

  it('does not cool down where it kept nobody waiting, and neither does one that succeeded', () => {
    const { isCoolingDown, shakeHands } = cooldownScene();
    shakeHands('a.test:443', 24, 'failed');
    shakeHands('b.test:443', 1_000, 'done');
    expect(isCoolingDown('a.test:443')).toBe(false);
    expect(isCoolingDown('b.test:443')).toBe(false);
  });

  it('does not cool down where it sent too little to be to blame, as one that hangs or is unavailable', () => {
    const { isCoolingDown, shakeHands } = cooldownScene();
    shakeHands('a.test:443', 1_000, 'failed', { bytesRead: 0 });
    shakeHands('b.test:443', 1_000, 'failed', { bytesRead: 2_048 });
    shakeHands('c.test:443', 1_000, 'failed', { bytesRead: 2_049 });
    const coolingDown = ['a.test:443', 'b.test:443', 'c.test:443'].filter((endpoint) =>
      isCoolingDown(endpoint),
    );
    expect(coolingDown).toEqual(['c.test:443']);
  });

  it('is not to blame for what the process does after it has fallen silent', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock, isCoolingDown, begin } = cooldownScene();
    const [idle, busy] = ['a.test:443', 'b.test:443'].map((endpoint) => begin(endpoint));
    clock.busy += 20;
    vi.advanceTimersByTime(100);
    clock.busy += 5_000;
    vi.advanceTimersByTime(100);
    // One of them sends a little more, and so much is done meanwhile.
    Object.defineProperty(busy?.wire, 'bytesRead', { value: CERTIFICATES + 1 });
    clock.busy += 5;
    idle?.end('failed');
    busy?.end('failed');
    expect(isCoolingDown('a.test:443')).toBe(false);
    expect(isCoolingDown('b.test:443')).toBe(true);
    clock.now += 5_000;
    expect(isCoolingDown('b.test:443')).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has the others that are pending to it ended, and no others', () => {
    const { clock, begin } = cooldownScene();
    const endpoints = ['a.test:443', 'a.test:443', 'a.test:443', 'b.test:443'];
    const wires = endpoints.map((endpoint) => begin(endpoint));
    const [first, done, open, other] = wires;
    done?.end('done');
    clock.busy += 100;
    first?.end('failed');
    expect(open?.wire.errored).toMatchObject({ sendError: 'tls_failed' });
    expect(done?.wire.destroyed).toBe(false);
    expect(other?.wire.destroyed).toBe(false);
  });

  it('has failed where its wire is closed, but not after it has succeeded', async () => {
    const { clock, isCoolingDown, begin } = cooldownScene();
    for (const endpoint of ['a.test:443', 'b.test:443']) {
      const { wire, end } = begin(endpoint);
      if (endpoint === 'b.test:443') end('done');
      clock.busy += 100;
      await new Promise((closed) => wire.on('close', closed).destroy());
    }
    expect(isCoolingDown('a.test:443')).toBe(true);
    expect(isCoolingDown('b.test:443')).toBe(false);
  });

  it('is forgotten for the thousandth after it', () => {
    const { isCoolingDown, shakeHands } = cooldownScene();
    for (let nth = 0; nth < 1_000; nth++) shakeHands(`${nth}.test:443`, 100, 'failed');
    expect(isCoolingDown('0.test:443')).toBe(true);
    shakeHands('1000.test:443', 100, 'failed');
    expect(isCoolingDown('0.test:443')).toBe(false);
    expect(isCoolingDown('1.test:443')).toBe(true);
  });
});
