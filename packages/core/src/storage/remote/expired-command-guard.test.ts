import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { CallDeadline } from './call-deadline.ts';
import { type CommandOutcome, ExpiredCommandGuard } from './expired-command-guard.ts';

/** A server whose clock is `aheadMs` ahead of this process, and that obeys the limit of every call. */
class Server {
  aheadMs = 1e12;
  readonly readServerMs = vi.fn(async () => this.nowMs);
  /** The outcome of each call. */
  readonly log: string[] = [];
  /** How long a call takes until it acts. */
  delayMs = 0;

  get nowMs(): number {
    return performance.now() + this.aheadMs;
  }

  readonly act = async (commandExpiresAtMs: number): Promise<CommandOutcome<string>> => {
    vi.advanceTimersByTime(this.delayMs);
    const outcome = this.nowMs > commandExpiresAtMs ? 'expired' : 'applied';
    this.log.push(outcome);
    const serverMs = this.nowMs;
    return outcome === 'expired' ? { outcome, serverMs } : { outcome, serverMs, answer: 'done' };
  };
}

describe('a guard against expired commands', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function fixture() {
    const server = new Server();
    const guard = new ExpiredCommandGuard({ server: 'MariaDB', readServerMs: server.readServerMs });
    const soon = () => new CallDeadline('MariaDB', 1000);
    return { server, guard, soon };
  }

  it('reads the time of the server once, before the first call', async () => {
    const { server, guard, soon } = fixture();
    for (let call = 0; call < 3; call += 1) await guard.call(soon(), server.act);
    expect(server.log).toEqual(['applied', 'applied', 'applied']);
    expect(server.readServerMs).toHaveBeenCalledTimes(1);
  });

  it('sets the expiry to 250 ms after the deadline, by the time of the server', async () => {
    const { server, guard, soon } = fixture();
    const limits: number[] = [];
    const deadline = soon();
    vi.advanceTimersByTime(400);
    await guard.call(deadline, (limitMs) => {
      limits.push(limitMs - server.nowMs);
      return server.act(limitMs);
    });
    expect(limits).toEqual([600 + 250]);
  });

  it('rejects if a command arrives after its expiry, and does not send it again', async () => {
    const { server, guard, soon } = fixture();
    server.delayMs = 1251;
    await expect(guard.call(soon(), server.act)).rejects.toThrow(
      new StorageUnavailableError('MariaDB received a call too late to act on it.'),
    );
    expect(server.log).toEqual(['expired']);
  });

  it('sends an expired command again if the clock of the server has jumped ahead', async () => {
    const { server, guard, soon } = fixture();
    await guard.call(soon(), server.act);
    server.aheadMs += 3_600_000;
    const { answer } = await guard.call(soon(), server.act);
    await guard.call(soon(), server.act);
    expect(answer).toBe('done');
    expect(server.log).toEqual(['applied', 'expired', 'applied', 'applied']);
  });

  it('does not send an expired command a third time', async () => {
    const { server, guard, soon } = fixture();
    const reject = vi.fn(async () => ({ outcome: 'expired', serverMs: server.nowMs }) as const);
    await expect(guard.call(soon(), reject)).rejects.toThrow(StorageUnavailableError);
    expect(reject).toHaveBeenCalledTimes(2);
  });

  it('ignores the server time of an answer that was delayed', async () => {
    const { server, guard, soon } = fixture();
    await guard.call(soon(), server.act);
    // The server acts in time; the answer comes after ten seconds.
    await guard.call(soon(), async (limitMs) => {
      const outcome = await server.act(limitMs);
      vi.advanceTimersByTime(10_000);
      return { ...outcome, serverMs: server.nowMs };
    });
    server.delayMs = 1251;
    await expect(guard.call(soon(), server.act)).rejects.toThrow('too late');
  });

  it('sends no command if the deadline passed while the time was read', async () => {
    const { server, guard, soon } = fixture();
    server.readServerMs.mockImplementationOnce(async () => {
      vi.advanceTimersByTime(1000);
      return server.nowMs;
    });
    await expect(guard.call(soon(), server.act)).rejects.toThrow(
      'MariaDB answered its time too late.',
    );
    expect(server.log).toEqual([]);
  });

  it('passes on an error of reading the time, and reads it again with the next call', async () => {
    const { server, guard, soon } = fixture();
    server.readServerMs.mockRejectedValueOnce(new Error('rejected'));
    await expect(guard.call(soon(), server.act)).rejects.toThrow('rejected');
    expect((await guard.call(soon(), server.act)).answer).toBe('done');
  });

  it('measures the duration of a call by the given clock', async () => {
    const { server, guard, soon } = fixture();
    server.delayMs = 30;
    expect((await guard.call(soon(), server.act)).tookMs).toBe(30);
    const { readServerMs, act } = server;
    const frozen = { nowMs: () => 5 };
    const inTests = new ExpiredCommandGuard({ server: 'MariaDB', readServerMs, clock: frozen });
    expect((await inTests.call(soon(), act)).tookMs).toBe(0);
  });
});
