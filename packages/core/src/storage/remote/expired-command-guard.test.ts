import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { CallDeadline } from './call-deadline.ts';
import { type CommandOutcome, ExpiredCommandGuard } from './expired-command-guard.ts';

const DEADLINE_MS = 1_000;
const SLACK_MS = 250;

/** A server whose clock is `aheadMs` ahead of this process. It applies only commands that have not expired. */
class Server {
  aheadMs = 1e12;
  readonly readServerMs = vi.fn(async () => this.nowMs);
  /** The outcome of each call. */
  readonly log: string[] = [];
  /** How long a command takes to arrive. */
  delayMs = 0;

  get nowMs(): number {
    return performance.now() + this.aheadMs;
  }

  readonly apply = async (commandExpiresAtMs: number): Promise<CommandOutcome<string>> => {
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
    const newDeadline = () => new CallDeadline('MariaDB', DEADLINE_MS);
    return { server, guard, newDeadline };
  }

  it('reads the time of the server once, before the first call', async () => {
    const { server, guard, newDeadline } = fixture();
    for (let call = 0; call < 3; call += 1) await guard.call(newDeadline(), server.apply);
    expect(server.log).toEqual(['applied', 'applied', 'applied']);
    expect(server.readServerMs).toHaveBeenCalledTimes(1);
  });

  it('sets the expiry to 250 ms after the deadline, by the time of the server', async () => {
    const { server, guard, newDeadline } = fixture();
    const remainingMs: number[] = [];
    const deadline = newDeadline();
    vi.advanceTimersByTime(400);
    await guard.call(deadline, (commandExpiresAtMs) => {
      remainingMs.push(commandExpiresAtMs - server.nowMs);
      return server.apply(commandExpiresAtMs);
    });
    expect(remainingMs).toEqual([DEADLINE_MS - 400 + SLACK_MS]);
  });

  it('rejects if a command arrives after its expiry, and does not send it again', async () => {
    const { server, guard, newDeadline } = fixture();
    server.delayMs = DEADLINE_MS + SLACK_MS + 1;
    await expect(guard.call(newDeadline(), server.apply)).rejects.toThrow(
      new StorageUnavailableError('MariaDB received a call too late to act on it.'),
    );
    expect(server.log).toEqual(['expired']);
  });

  it('sends an expired command again if the clock of the server has jumped ahead', async () => {
    const { server, guard, newDeadline } = fixture();
    await guard.call(newDeadline(), server.apply);
    server.aheadMs += 3_600_000;
    const { answer } = await guard.call(newDeadline(), server.apply);
    await guard.call(newDeadline(), server.apply);
    expect(answer).toBe('done');
    expect(server.log).toEqual(['applied', 'expired', 'applied', 'applied']);
  });

  it('does not send an expired command a third time', async () => {
    const { server, guard, newDeadline } = fixture();
    const reject = vi.fn(async () => ({ outcome: 'expired', serverMs: server.nowMs }) as const);
    await expect(guard.call(newDeadline(), reject)).rejects.toThrow(StorageUnavailableError);
    expect(reject).toHaveBeenCalledTimes(2);
  });

  it('ignores the server time of a response that was delayed', async () => {
    const { server, guard, newDeadline } = fixture();
    await guard.call(newDeadline(), server.apply);
    // The server applies the command in time; its response arrives after ten seconds.
    await guard.call(newDeadline(), async (commandExpiresAtMs) => {
      const outcome = await server.apply(commandExpiresAtMs);
      vi.advanceTimersByTime(10_000);
      return { ...outcome, serverMs: server.nowMs };
    });
    server.delayMs = DEADLINE_MS + SLACK_MS + 1;
    await expect(guard.call(newDeadline(), server.apply)).rejects.toThrow('too late');
  });

  it('sends no command if the deadline passed while the time was read', async () => {
    const { server, guard, newDeadline } = fixture();
    server.readServerMs.mockImplementationOnce(async () => {
      vi.advanceTimersByTime(1000);
      return server.nowMs;
    });
    await expect(guard.call(newDeadline(), server.apply)).rejects.toThrow(
      'MariaDB answered its time too late.',
    );
    expect(server.log).toEqual([]);
  });

  it('reads the time again at the next call after reading it has failed', async () => {
    const { server, guard, newDeadline } = fixture();
    server.readServerMs.mockRejectedValueOnce(new Error('rejected'));
    await expect(guard.call(newDeadline(), server.apply)).rejects.toThrow('rejected');
    expect((await guard.call(newDeadline(), server.apply)).answer).toBe('done');
  });

  it('measures the duration of a call by its clock option', async () => {
    const { server, guard, newDeadline } = fixture();
    server.delayMs = 30;
    expect((await guard.call(newDeadline(), server.apply)).tookMs).toBe(30);
    const { readServerMs, apply } = server;
    const frozenClock = { nowMs: () => 5 };
    const guardInTests = new ExpiredCommandGuard({
      server: 'MariaDB',
      readServerMs,
      clock: frozenClock,
    });
    expect((await guardInTests.call(newDeadline(), apply)).tookMs).toBe(0);
  });
});
