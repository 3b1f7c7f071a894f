import { setTimeout as elapsed } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerElsewhere, standStill } from './stand-still.test.support.ts';
import { createWithTimeout } from './with-timeout.ts';

const never = (): Promise<never> => new Promise(() => {});

const lateError = (): Error => new Error('late');

/** How many timers keep this process alive. */
const timersSet = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('a timeout', () => {
  let ended: string[];
  let withTimeout: ReturnType<typeof createWithTimeout>;

  beforeEach(() => {
    vi.useFakeTimers();
    ended = [];
    withTimeout = createWithTimeout(1_000, lateError);
  });
  afterEach(() => void vi.useRealTimers());

  function note(name: string, answer: Promise<unknown>): void {
    withTimeout(answer).then(
      (value) => void ended.push(`${name}: ${value}`),
      (error) => void ended.push(`${name}: ${error.message}`),
    );
  }

  it('resolves and rejects as the work does', async () => {
    expect(await withTimeout(Promise.resolve(7))).toBe(7);
    const mistake = new Error('mistake');
    await expect(withTimeout(Promise.reject(mistake))).rejects.toBe(mistake);
  });

  it('counts for each call from when that call began', async () => {
    note('first', never());
    await vi.advanceTimersByTimeAsync(400);
    note('second', never());
    note('third', new Promise((resolve) => setTimeout(resolve, 700, 'in time')));
    await vi.advanceTimersByTimeAsync(599);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['first: late']);
    await vi.advanceTimersByTimeAsync(399);
    expect(ended).toEqual(['first: late', 'third: in time']);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['first: late', 'third: in time', 'second: late']);
  });

  it('is not shortened for a call that begins while an earlier timer is set', async () => {
    await withTimeout(Promise.resolve());
    await vi.advanceTimersByTimeAsync(900);
    note('later', never());
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['later: late']);
  });

  it('ignores a late result, and still applies to other calls', async () => {
    note('late', new Promise((_, reject) => setTimeout(reject, 1_500, new Error('ignored'))));
    await vi.advanceTimersByTimeAsync(700);
    note('other', never());
    note('another', never());
    await vi.advanceTimersByTimeAsync(800);
    expect(ended).toEqual(['late: late']);
    await vi.advanceTimersByTimeAsync(200);
    expect(ended).toEqual(['late: late', 'other: late', 'another: late']);
  });

  it('accepts an answer that arrived while the process was stopped', async () => {
    vi.useRealTimers();
    const [answered, late] = [createWithTimeout(50, lateError), createWithTimeout(50, lateError)];
    const answers = Promise.allSettled([answered(answerElsewhere()), late(never())]);
    standStill(200);
    expect(await answers).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: lateError() },
    ]);
  });

  it('accepts an answer that arrived while another timeout was being handled', async () => {
    vi.useRealTimers();
    const withinHundred = createWithTimeout(100, lateError);
    const first = withinHundred(never());
    first.catch(() => {});
    await elapsed(60);
    // From here, timers are looked at before answers are.
    await new Promise(setImmediate);
    const second = withinHundred(
      answerElsewhere().then(() => {
        const answer = answerElsewhere();
        standStill(150);
        return answer;
      }),
    );
    standStill(60);
    expect(await second).toHaveLength(8);
    await expect(first).rejects.toThrow('late');
  });

  it('keeps the process alive only while a call is pending', async () => {
    vi.useRealTimers();
    const before = timersSet();
    // Twice, as the timer is there already for the second. None is left waiting: it would set timers in later tests.
    for (let time = 1; time <= 2; time += 1) {
      let answer = (): void => {};
      const waiting = withTimeout(
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
      );
      expect(timersSet()).toBe(before + 1);
      answer();
      await waiting;
      expect(timersSet()).toBe(before);
    }
  });
});
