import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HandshakeCooldowns, type HandshakeParties } from './handshake-cooldowns.ts';

const CERTIFICATES = 4_000;

/** Of which so many bytes have been read. */
function wireWith(bytesRead: number): Socket {
  const wire = new Socket().on('error', () => {});
  return Object.defineProperty(wire, 'bytesRead', { value: bytesRead, configurable: true });
}

/** Each origin is that of another account, unless the test says otherwise. */
function partiesOf(origin: string, accountId = Number.parseInt(origin, 36)): HandshakeParties {
  return { origin, accountId };
}

function scene() {
  const clock = { now: 5_000, busy: 100, nowMs: () => clock.now, busyMs: () => clock.busy };
  const cooldowns = new HandshakeCooldowns(clock);
  return {
    clock,
    isCoolingDown: (origin: string, accountId?: number) =>
      cooldowns.isCoolingDown(partiesOf(origin, accountId)),
    begin(origin: string, accountId?: number) {
      const wire = wireWith(CERTIFICATES);
      return { wire, end: cooldowns.begin(partiesOf(origin, accountId), wire) };
    },
    shakeHands(
      origin: string,
      costMs: number,
      outcome: 'done' | 'failed',
      { bytesRead = CERTIFICATES, accountId = partiesOf(origin).accountId } = {},
    ) {
      const end = cooldowns.begin({ origin, accountId }, wireWith(bytesRead));
      clock.busy += costMs;
      end(outcome);
    },
  };
}

describe('an origin whose handshake failed', () => {
  it('cools down for two hundred times as long as it kept the process busy', () => {
    const { clock, isCoolingDown, shakeHands } = scene();
    shakeHands('a.test:443', 100, 'failed');
    expect(isCoolingDown('a.test:443')).toBe(true);
    expect(isCoolingDown('b.test:443')).toBe(false);
    clock.now += 19_999;
    expect(isCoolingDown('a.test:443')).toBe(true);
    clock.now += 1;
    expect(isCoolingDown('a.test:443')).toBe(false);
  });

  it('cools down as well if it succeeded, but took more bytes than any honest one', () => {
    const { isCoolingDown, shakeHands } = scene();
    shakeHands('a.test:443', 100, 'done', { bytesRead: 12_288 });
    shakeHands('b.test:443', 100, 'done', { bytesRead: 12_289 });
    shakeHands('c.test:443', 24, 'done', { bytesRead: 100_000 });
    const coolingDown = ['a.test:443', 'b.test:443', 'c.test:443'].filter((origin) =>
      isCoolingDown(origin),
    );
    expect(coolingDown).toEqual(['b.test:443']);
  });

  it('cools down for ten minutes at most', () => {
    const { clock, isCoolingDown, shakeHands } = scene();
    shakeHands('a.test:443', 60_000, 'failed');
    clock.now += 599_999;
    expect(isCoolingDown('a.test:443')).toBe(true);
    clock.now += 1;
    expect(isCoolingDown('a.test:443')).toBe(false);
  });

  it('does not cool down where it kept nobody waiting, and neither does one that succeeded', () => {
    const { isCoolingDown, shakeHands } = scene();
    shakeHands('a.test:443', 24, 'failed');
    shakeHands('b.test:443', 1_000, 'done');
    expect(isCoolingDown('a.test:443')).toBe(false);
    expect(isCoolingDown('b.test:443')).toBe(false);
  });

  it('does not cool down where it sent too little to be to blame, as one that hangs or is unavailable', () => {
    const { isCoolingDown, shakeHands } = scene();
    shakeHands('a.test:443', 1_000, 'failed', { bytesRead: 0 });
    shakeHands('b.test:443', 1_000, 'failed', { bytesRead: 2_048 });
    shakeHands('c.test:443', 1_000, 'failed', { bytesRead: 2_049 });
    const coolingDown = ['a.test:443', 'b.test:443', 'c.test:443'].filter((origin) =>
      isCoolingDown(origin),
    );
    expect(coolingDown).toEqual(['c.test:443']);
  });

  it('is not to blame for what the process does after it has fallen silent', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock, isCoolingDown, begin } = scene();
    const [idle, busy] = ['a.test:443', 'b.test:443'].map((origin) => begin(origin));
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
    const { clock, begin } = scene();
    const origins = ['a.test:443', 'a.test:443', 'a.test:443', 'b.test:443'];
    const wires = origins.map((origin) => begin(origin));
    const [first, done, open, other] = wires;
    done?.end('done');
    clock.busy += 100;
    first?.end('failed');
    expect(open?.wire.errored).toMatchObject({ sendError: 'tls_failed' });
    expect(done?.wire.destroyed).toBe(false);
    expect(other?.wire.destroyed).toBe(false);
  });

  it('has failed where its wire is closed, but not after it has succeeded', async () => {
    const { clock, isCoolingDown, begin } = scene();
    for (const origin of ['a.test:443', 'b.test:443']) {
      const { wire, end } = begin(origin);
      if (origin === 'b.test:443') end('done');
      clock.busy += 100;
      await new Promise((closed) => wire.on('close', closed).destroy());
    }
    expect(isCoolingDown('a.test:443')).toBe(true);
    expect(isCoolingDown('b.test:443')).toBe(false);
  });

  it('is forgotten for the thousandth after it', () => {
    const { isCoolingDown, shakeHands } = scene();
    for (let nth = 0; nth < 1_000; nth++) shakeHands(`${nth}.test:443`, 100, 'failed');
    expect(isCoolingDown('0.test:443')).toBe(true);
    shakeHands('1000.test:443', 100, 'failed');
    expect(isCoolingDown('0.test:443')).toBe(false);
    expect(isCoolingDown('1.test:443')).toBe(true);
  });
});

describe('an account whose handshakes failed', () => {
  const OWN = 7;
  const OTHER = 8;

  /** Each at another host. */
  function costing(costs: readonly number[]) {
    const made = scene();
    for (const [nth, costMs] of costs.entries()) {
      made.shakeHands(`x${nth}.test:443`, costMs, 'failed', { accountId: OWN });
    }
    return made;
  }

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
    const { clock, isCoolingDown, shakeHands } = scene();
    let costMs = 0;
    for (let nth = 0; clock.now < 605_000; nth++) {
      const origin = `x${nth}.test:443`;
      if (isCoolingDown(origin, OWN)) {
        clock.now += 10;
      } else {
        clock.now += 200;
        costMs += 200;
        shakeHands(origin, 200, 'failed', { accountId: OWN });
      }
    }
    expect(costMs).toBeGreaterThan(29_000);
    expect(costMs).toBeLessThan(31_000);
  });

  it('goes on with its other receivers, though nine of them fail as often as they may', () => {
    const { clock, isCoolingDown, shakeHands } = scene();
    const origins = Array.from({ length: 9 }, (_, nth) => `x${nth}.test:443`);
    let tries = 0;
    while (clock.now < 605_000) {
      for (const origin of origins.filter((one) => !isCoolingDown(one, OWN))) {
        shakeHands(origin, 25, 'failed', { accountId: OWN });
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
    const { begin, shakeHands } = scene();
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
    const { clock, isCoolingDown, begin } = scene();
    const advance = (ms: number): void => {
      for (let at = 0; at < ms; at += 25) {
        clock.now += 25;
        vi.advanceTimersByTime(25);
      }
    };
    const [first, second] = ['a.test:443', 'b.test:443'].map((origin) => {
      const begun = begin(origin, OWN);
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
    const { clock, isCoolingDown, begin, shakeHands } = scene();
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
    const { isCoolingDown, shakeHands } = scene();
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
