import { Socket } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { limitTlsBytes } from './limit-tls-bytes.ts';
import type { ConnectionCharges } from './receiver-budget.ts';

/** The interval at which the bytes are compared, ms. */
const CHECK_MS = 100;
const FREE_BYTES = 16_384;

/** Creates sockets below and above TLS. The test sets in `bytesRead` how much has been read from each. */
function fixture() {
  const bytesRead = { wire: 0, plain: 0 };
  const createSocket = (name: keyof typeof bytesRead) => {
    const socket = new Socket().on('error', () => {});
    return Object.defineProperty(socket, 'bytesRead', { get: () => bytesRead[name] });
  };
  const wire = createSocket('wire');
  const plain = createSocket('plain');
  const handshake = { isOver: true };
  const charges = { add: vi.fn<ConnectionCharges['add']>(), close() {} };
  limitTlsBytes(wire, () => (handshake.isOver ? plain : null), charges);
  const close = () => new Promise((closed) => wire.on('close', closed).destroy());
  const chargedBytes = () => charges.add.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  return { bytesRead, wire, plain, handshake, close, chargedBytes };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return () => void vi.useRealTimers();
});

describe('the TLS overhead of a connection', () => {
  it('may be 64 KiB plus four times the content', () => {
    const { bytesRead, wire, plain } = fixture();
    const content = 10_000;
    bytesRead.plain = content;
    bytesRead.wire = content + 65_536 + 4 * content;
    vi.advanceTimersByTime(CHECK_MS);
    expect(plain.destroyed || wire.destroyed).toBe(false);
    bytesRead.wire += 1;
    vi.advanceTimersByTime(CHECK_MS);
    expect(plain.errored).toMatchObject({ sendError: 'invalid_answer' });
  });

  it('is limited during the handshake, too', () => {
    const { bytesRead, wire, plain, handshake } = fixture();
    handshake.isOver = false;
    bytesRead.wire = 65_537;
    vi.advanceTimersByTime(CHECK_MS);
    expect(wire.errored).toMatchObject({ sendError: 'invalid_answer' });
    expect(plain.destroyed).toBe(false);
  });

  it('is charged once for the bytes that exceed 16 KiB plus four times the content', async () => {
    const { bytesRead, chargedBytes, close } = fixture();
    const content = 1_000;
    bytesRead.plain = content;
    bytesRead.wire = content + FREE_BYTES + 4 * content + 70;
    vi.advanceTimersByTime(CHECK_MS);
    expect(chargedBytes()).toBe(70);
    vi.advanceTimersByTime(CHECK_MS);
    expect(chargedBytes()).toBe(70);
    bytesRead.wire += 30;
    await close();
    expect(chargedBytes()).toBe(100);
  });

  it('is charged in full once the handshake has failed', async () => {
    const { bytesRead, chargedBytes, handshake, close } = fixture();
    handshake.isOver = false;
    bytesRead.wire = FREE_BYTES + 10;
    vi.advanceTimersByTime(CHECK_MS);
    expect(chargedBytes()).toBe(10);
    await close();
    expect(chargedBytes()).toBe(FREE_BYTES + 10);
  });

  it('is not charged to an idle or ordinary receiver', async () => {
    const idle = fixture();
    idle.handshake.isOver = false;
    const ordinary = fixture();
    ordinary.bytesRead.wire = 5_000;
    vi.advanceTimersByTime(CHECK_MS);
    for (const { close, chargedBytes } of [idle, ordinary]) {
      await close();
      expect(chargedBytes()).toBe(0);
    }
  });

  it('is measured until the connection closes, without keeping the process alive', async () => {
    const { close } = fixture();
    vi.advanceTimersByTime(10 * CHECK_MS);
    expect(vi.getTimerCount()).toBe(1);
    await close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    // Lists only the timers that keep the process alive.
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    const timersBefore = timers();
    const { wire } = fixture();
    expect(timers()).toEqual(timersBefore);
    wire.destroy();
  });
});
