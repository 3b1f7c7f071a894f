import { Socket } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { boundOverhead } from './bound-overhead.ts';

/** How often the bytes are compared, ms. */
const LOOK_MS = 100;

/** Sockets below and above TLS, and what has been read of each. */
function scene() {
  const read = { wire: 0, plain: 0 };
  const socket = (name: keyof typeof read) =>
    Object.defineProperty(
      new Socket().on('error', () => {}),
      'bytesRead',
      {
        get: () => read[name],
      },
    );
  const wire = socket('wire');
  const plain = socket('plain');
  const handshake = { isOver: true };
  boundOverhead(wire, () => (handshake.isOver ? plain : null));
  return { read, wire, plain, handshake };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the overhead of TLS', () => {
  it('may be 64 KiB, and four times the content besides', () => {
    const { read, wire, plain } = scene();
    read.plain = 10_000;
    read.wire = 65_536 + 50_000;
    vi.advanceTimersByTime(LOOK_MS);
    expect(plain.destroyed || wire.destroyed).toBe(false);
    read.wire += 1;
    vi.advanceTimersByTime(LOOK_MS);
    expect(plain.errored).toMatchObject({ sendError: 'invalid_answer' });
  });

  it('is bounded during the handshake as well', () => {
    const { read, wire, plain, handshake } = scene();
    handshake.isOver = false;
    read.wire = 65_537;
    vi.advanceTimersByTime(LOOK_MS);
    expect(wire.errored).toMatchObject({ sendError: 'invalid_answer' });
    expect(plain.destroyed).toBe(false);
  });

  it('is looked at until the connection closes', async () => {
    const { wire } = scene();
    vi.advanceTimersByTime(10 * LOOK_MS);
    expect(vi.getTimerCount()).toBe(1);
    await new Promise((closed) => wire.on('close', closed).destroy());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps no process alive by being looked at', () => {
    vi.useRealTimers();
    // Of the timers, those alone that keep the process alive.
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    const before = timers();
    const { wire } = scene();
    expect(timers()).toEqual(before);
    wire.destroy();
  });
});
