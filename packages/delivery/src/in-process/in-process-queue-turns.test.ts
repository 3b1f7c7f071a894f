import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduled, started } from '../runs/scripted-deps.test.support.ts';
import { queueOf } from './in-process-queue.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the turn in which the queue in the process begins', () => {
  it('starts what is due in the turn in which it is handed over, all of it together', async () => {
    const { deps, queue } = queueOf();
    void queue.enqueue([scheduled('msg_1')]);
    void queue.enqueue([scheduled('msg_2')]);
    expect(deps.calls).toEqual([]);
    await Promise.resolve();
    expect(deps.calls).toEqual(['start msg_1', 'start msg_2']);
  });

  it('runs nothing in the context of a request that published', async () => {
    const request = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const { queue } = queueOf({
      start: () => {
        contexts.push(request.getStore());
        return started();
      },
    });
    request.run('of Ada', () => queue.enqueue([scheduled('msg_1')]));
    request.run('of Alan', () => queue.enqueue([scheduled('msg_2')]));
    await vi.advanceTimersByTimeAsync(1);
    expect(contexts).toEqual([undefined, undefined]);
  });

  it('runs where a test has stopped microtasks with its clock', async () => {
    vi.useFakeTimers({ toFake: ['queueMicrotask', 'setTimeout'] });
    const { deps, queue } = queueOf();
    void queue.enqueue([scheduled('msg_1')]);
    await Promise.resolve();
    expect(deps.calls).toEqual(['start msg_1']);
    await queue.close();
  });
});
