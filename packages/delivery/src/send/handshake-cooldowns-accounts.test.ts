import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cooldownScene } from './handshake-cooldowns.test.support.ts';

const OWN = 7;
const OTHER = 8;

/** Each at another host. */
function costing(costs: readonly number[]) {
  const made = cooldownScene();
  for (const [nth, costMs] of costs.entries()) {
    made.shakeHands(`x${nth}.test:443`, costMs, 'failed', { accountId: OWN });
  }
  return made;
}

describe('an account whose handshakes failed', () => {
  it('cools down for twenty times as long as they kept the process busy in all, but for 250 ms', () => {
    const { clock, isCoolingDown } = costing([100, 150, 100]);
    expect(isCoolingDown('new.test:443', OWN)).toBe(true);
    clock.now += 1_999;
    expect(isCoolingDown('new.test:443', OWN)).toBe(true);
    clock.now += 1;
    expect(isCoolingDown('new.test:443', OWN)).toBe(false);
  });

  it('cools down nowhere else while they came to 250 ms, and at no time does another account', () => {
    const { isCoolingDown, shakeHands } = costing([100, 150]);
    expect(isCoolingDown('new.test:443', OWN)).toBe(false);
    shakeHands('y.test:443', 100, 'failed', { accountId: OWN });
    expect(isCoolingDown('new.test:443', OWN)).toBe(true);
    expect(isCoolingDown('new.test:443', OTHER)).toBe(false);
    expect(isCoolingDown('y.test:443', OTHER)).toBe(true);
  });

  it('takes a twentieth of the time, with a new host for each delivery', () => {
    const { clock, isCoolingDown, shakeHands } = cooldownScene();
    let costMs = 0;
    for (let nth = 0; clock.now < 605_000; nth++) {
      const endpoint = `x${nth}.test:443`;
      if (isCoolingDown(endpoint, OWN)) {
        clock.now += 10;
      } else {
        clock.now += 200;
        costMs += 200;
        shakeHands(endpoint, 200, 'failed', { accountId: OWN });
      }
    }
    expect(costMs).toBeGreaterThan(29_000);
    expect(costMs).toBeLessThan(31_000);
  });

  it('goes on with its other receivers, though nine of them fail as often as they may', () => {
    const { clock, isCoolingDown, shakeHands } = cooldownScene();
    const endpoints = Array.from({ length: 9 }, (_, nth) => `x${nth}.test:443`);
    let tries = 0;
    while (clock.now < 605_000) {
      for (const endpoint of endpoints.filter((one) => !isCoolingDown(one, OWN))) {
        shakeHands(endpoint, 25, 'failed', { accountId: OWN });
        tries++;
      }
      expect(isCoolingDown('good.test:443', OWN)).toBe(false);
      clock.now += 100;
    }
    expect(tries).toBe(9 * 120);
  });

  it('cools down for ten minutes at most', () => {
    const { clock, isCoolingDown } = costing([60_000, 60_000]);
    clock.now += 599_999;
    expect(isCoolingDown('new.test:443', OWN)).toBe(true);
    clock.now += 1;
    expect(isCoolingDown('new.test:443', OWN)).toBe(false);
  });

  it('has its others that are pending ended, and no others', () => {
    const { begin, shakeHands } = cooldownScene();
    const own = begin('a.test:443', OWN);
    const others = begin('b.test:443', OTHER);
    shakeHands('x.test:443', 250, 'failed', { accountId: OWN });
    expect(own.wire.destroyed).toBe(false);
    shakeHands('y.test:443', 50, 'failed', { accountId: OWN });
    expect(own.wire.errored).toMatchObject({ sendError: 'tls_failed' });
    expect(others.wire.destroyed).toBe(false);
  });

  it('cools down while they are still pending, a second after they were costly, and pays for each once', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock, isCoolingDown, begin } = cooldownScene();
    const advance = (ms: number): void => {
      for (let at = 0; at < ms; at += 25) {
        clock.now += 25;
        vi.advanceTimersByTime(25);
      }
    };
    const [first, second] = ['a.test:443', 'b.test:443'].map((endpoint) => {
      const begun = begin(endpoint, OWN);
      clock.busy += 200;
      advance(25);
      return begun;
    });
    advance(950);
    expect(isCoolingDown('a.test:443', OTHER)).toBe(false);
    advance(25);
    expect(isCoolingDown('a.test:443', OTHER)).toBe(true);
    expect(first?.wire.destroyed).toBe(false);
    expect(isCoolingDown('new.test:443', OWN)).toBe(false);
    advance(25);
    expect(isCoolingDown('new.test:443', OWN)).toBe(true);
    second?.end('failed');
    clock.now += 3_000;
    expect(isCoolingDown('new.test:443', OWN)).toBe(false);
  });

  it('owes nothing for one that was slow and succeeded in the end', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock, isCoolingDown, begin, shakeHands } = cooldownScene();
    shakeHands('b.test:443', 100, 'failed', { accountId: OWN });
    const { end } = begin('a.test:443', OWN);
    clock.busy += 400;
    for (let at = 0; at < 1_050; at += 25) {
      clock.now += 25;
      vi.advanceTimersByTime(25);
    }
    expect([isCoolingDown('a.test:443', OTHER), isCoolingDown('new.test:443', OWN)]).toEqual([
      true,
      true,
    ]);
    end('done');
    expect([isCoolingDown('a.test:443', OTHER), isCoolingDown('new.test:443', OWN)]).toEqual([
      false,
      false,
    ]);
    expect(isCoolingDown('b.test:443', OTHER)).toBe(true);
  });

  it('is forgotten for the thousandth after it, which is not one that was charged before', () => {
    const { isCoolingDown, shakeHands } = cooldownScene();
    const charge = (accountId: number) =>
      shakeHands(`x${accountId}.test:443`, 300, 'failed', { accountId });
    const coolingDown = () =>
      [0, 1, 2].filter((accountId) => isCoolingDown('new.test:443', accountId));
    for (let nth = 0; nth < 1_000; nth++) charge(nth);
    charge(1);
    expect(coolingDown()).toEqual([0, 1, 2]);
    charge(1_000);
    charge(1_001);
    expect(coolingDown()).toEqual([1]);
  });
});
