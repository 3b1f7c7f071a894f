import { afterEach, describe, expect, it, vi } from 'vitest';
import { UnderWay } from './under-way.ts';

afterEach(() => void vi.useRealTimers());

describe('what is under way', () => {
  it('has ended at once where nothing was begun', async () => {
    await new UnderWay().ended();
  });

  it('has ended when the last of it has, and what follows from that too', async () => {
    const underWay = new UnderWay();
    const ended: string[] = [];
    for (let nth = 0; nth < 2; nth += 1) underWay.begin();
    const closed = underWay.ended().then(() => void ended.push('closed'));
    underWay.end();
    await null;
    ended.push('first');
    underWay.end();
    await null;
    underWay.begin();
    await new Promise((resolve) => setImmediate(resolve));
    ended.push('second');
    underWay.end();
    await closed;
    expect(ended).toEqual(['first', 'second', 'closed']);
  });

  it('is given up after five seconds: there may be no end of it', async () => {
    vi.useFakeTimers();
    const underWay = new UnderWay();
    underWay.begin();
    let isClosed = false;
    const closed = underWay.ended().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
  });
});
