import { Socket } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { limitTlsBytes } from './limit-tls-bytes.ts';
import type { ConnectionCharges } from './receiver-budget.ts';

/** How often the bytes are compared, ms. */
const LOOK_MS = 100;
const FREE_BYTES = 16_384;

/** Sockets below and above TLS, and what has been read of each. */
function fixture() {
  const read = { wire: 0, plain: 0 };
  const socket = (name: keyof typeof read) => {
    const made = new Socket().on('error', () => {});
    return Object.defineProperty(made, 'bytesRead', { get: () => read[name] });
  };
  const wire = socket('wire');
  const plain = socket('plain');
  const handshake = { isOver: true };
  const charges = { add: vi.fn<ConnectionCharges['add']>(), close() {} };
  limitTlsBytes(wire, () => (handshake.isOver ? plain : null), charges);
  const close = () => new Promise((closed) => wire.on('close', closed).destroy());
  const charged = () => charges.add.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  return { read, wire, plain, handshake, close, charged };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return () => void vi.useRealTimers();
});

describe('the TLS overhead of a connection', () => {
  it('may be 64 KiB plus four times the content', () => {
    const { read, wire, plain } = fixture();
    read.plain = 10_000;
    read.wire = 65_536 + 50_000;
    vi.advanceTimersByTime(LOOK_MS);
    expect(plain.destroyed || wire.destroyed).toBe(false);
    read.wire += 1;
    vi.advanceTimersByTime(LOOK_MS);
    expect(plain.errored).toMatchObject({ sendError: 'invalid_answer' });
  });

  it('is limited during the handshake, too', () => {
    const { read, wire, plain, handshake } = fixture();
    handshake.isOver = false;
    read.wire = 65_537;
    vi.advanceTimersByTime(LOOK_MS);
    expect(wire.errored).toMatchObject({ sendError: 'invalid_answer' });
    expect(plain.destroyed).toBe(false);
  });

  it('is charged once, for what exceeds 16 KiB plus four times the content', async () => {
    const { read, charged, close } = fixture();
    read.plain = 1_000;
    read.wire = FREE_BYTES + 5_000 + 70;
    vi.advanceTimersByTime(LOOK_MS);
    expect(charged()).toBe(70);
    vi.advanceTimersByTime(LOOK_MS);
    expect(charged()).toBe(70);
    read.wire += 30;
    await close();
    expect(charged()).toBe(100);
  });

  it('is charged while a handshake is pending, and in full once the handshake has failed', async () => {
    const { read, charged, handshake, close } = fixture();
    handshake.isOver = false;
    read.wire = FREE_BYTES + 10;
    vi.advanceTimersByTime(LOOK_MS);
    expect(charged()).toBe(10);
    await close();
    expect(charged()).toBe(FREE_BYTES + 10);
  });

  it('is not charged to an idle or ordinary receiver', async () => {
    const silent = fixture();
    silent.handshake.isOver = false;
    const usual = fixture();
    usual.read.wire = 5_000;
    vi.advanceTimersByTime(LOOK_MS);
    for (const { close, charged } of [silent, usual]) {
      await close();
      expect(charged()).toBe(0);
    }
  });

  it('is measured until the connection closes, without keeping the process alive', async () => {
    const { close } = fixture();
    vi.advanceTimersByTime(10 * LOOK_MS);
    expect(vi.getTimerCount()).toBe(1);
    await close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    // Of the timers, those alone that keep the process alive.
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    const before = timers();
    const { wire } = fixture();
    expect(timers()).toEqual(before);
    wire.destroy();
  });
});
