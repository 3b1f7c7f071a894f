import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HandshakeRests } from './handshake-rests.ts';

const CERTIFICATES = 4_000;

/** Of which so many bytes have been read. */
function wireWith(bytesRead: number): Socket {
  const wire = new Socket().on('error', () => {});
  return Object.defineProperty(wire, 'bytesRead', { value: bytesRead, configurable: true });
}

function scene() {
  const clock = { now: 5_000, busy: 100, nowMs: () => clock.now, busyMs: () => clock.busy };
  const rests = new HandshakeRests(clock);
  return {
    clock,
    rests,
    shakeHands(
      origin: string,
      costMs: number,
      outcome: 'done' | 'failed',
      bytesRead = CERTIFICATES,
    ) {
      const end = rests.begin(origin, wireWith(bytesRead));
      clock.busy += costMs;
      end(outcome);
    },
  };
}

describe('an origin whose handshake failed', () => {
  it('rests two hundred times as long as it kept the process busy', () => {
    const { clock, rests, shakeHands } = scene();
    shakeHands('a.test:443', 100, 'failed');
    expect(rests.isResting('a.test:443')).toBe(true);
    expect(rests.isResting('b.test:443')).toBe(false);
    clock.now += 19_999;
    expect(rests.isResting('a.test:443')).toBe(true);
    clock.now += 1;
    expect(rests.isResting('a.test:443')).toBe(false);
  });

  it('rests for ten minutes at most', () => {
    const { clock, rests, shakeHands } = scene();
    shakeHands('a.test:443', 60_000, 'failed');
    clock.now += 599_999;
    expect(rests.isResting('a.test:443')).toBe(true);
    clock.now += 1;
    expect(rests.isResting('a.test:443')).toBe(false);
  });

  it('does not rest where it kept nobody waiting, and neither does one that succeeded', () => {
    const { rests, shakeHands } = scene();
    shakeHands('a.test:443', 24, 'failed');
    shakeHands('b.test:443', 1_000, 'done');
    expect(rests.isResting('a.test:443')).toBe(false);
    expect(rests.isResting('b.test:443')).toBe(false);
  });

  it('does not rest where it sent too little to be to blame, as one that hangs or is away', () => {
    const { rests, shakeHands } = scene();
    shakeHands('a.test:443', 1_000, 'failed', 0);
    shakeHands('b.test:443', 1_000, 'failed', 2_048);
    shakeHands('c.test:443', 1_000, 'failed', 2_049);
    const resting = ['a.test:443', 'b.test:443', 'c.test:443'].filter((origin) =>
      rests.isResting(origin),
    );
    expect(resting).toEqual(['c.test:443']);
  });

  it('is not to blame for what the process does after it has fallen silent', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { clock, rests } = scene();
    const [idle, busy] = ['a.test:443', 'b.test:443'].map((origin) => {
      const wire = wireWith(CERTIFICATES);
      return { wire, end: rests.begin(origin, wire) };
    });
    clock.busy += 20;
    vi.advanceTimersByTime(100);
    clock.busy += 5_000;
    vi.advanceTimersByTime(100);
    // One of them sends a little more, and so much is done meanwhile.
    Object.defineProperty(busy?.wire, 'bytesRead', { value: CERTIFICATES + 1 });
    clock.busy += 5;
    idle?.end('failed');
    busy?.end('failed');
    expect(rests.isResting('a.test:443')).toBe(false);
    expect(rests.isResting('b.test:443')).toBe(true);
    clock.now += 5_000;
    expect(rests.isResting('b.test:443')).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has the others that are under way to it ended, and no others', () => {
    const { clock, rests } = scene();
    const wires = ['a.test:443', 'a.test:443', 'a.test:443', 'b.test:443'].map((origin) => {
      const wire = wireWith(CERTIFICATES);
      return { wire, end: rests.begin(origin, wire) };
    });
    const [first, done, open, other] = wires;
    done?.end('done');
    clock.busy += 100;
    first?.end('failed');
    expect(open?.wire.errored).toMatchObject({ sendError: 'tls_failed' });
    expect(done?.wire.destroyed).toBe(false);
    expect(other?.wire.destroyed).toBe(false);
  });

  it('has failed where its wire is closed, but not after it has succeeded', async () => {
    const { clock, rests } = scene();
    for (const origin of ['a.test:443', 'b.test:443']) {
      const wire = wireWith(CERTIFICATES);
      const end = rests.begin(origin, wire);
      if (origin === 'b.test:443') end('done');
      clock.busy += 100;
      await new Promise((closed) => wire.on('close', closed).destroy());
    }
    expect(rests.isResting('a.test:443')).toBe(true);
    expect(rests.isResting('b.test:443')).toBe(false);
  });

  it('is forgotten for the thousandth after it', () => {
    const { rests, shakeHands } = scene();
    for (let nth = 0; nth < 1_000; nth++) shakeHands(`${nth}.test:443`, 100, 'failed');
    expect(rests.isResting('0.test:443')).toBe(true);
    shakeHands('1000.test:443', 100, 'failed');
    expect(rests.isResting('0.test:443')).toBe(false);
    expect(rests.isResting('1.test:443')).toBe(true);
  });
});
