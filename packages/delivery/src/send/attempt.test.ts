import { systemTimers } from '@latchhook/core/delivery';
import { Dispatcher } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { attempt } from './attempt.ts';
import { dispatcherConnections } from './connections.ts';
import { always, resultOf } from './receivers.test.support.ts';
import { toTarget } from './target.ts';

const CONTROLLER = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

it('does not break off what is answered as its deadline takes a last look', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const controller = { ...CONTROLLER, abort: vi.fn() };
  // A dispatcher of the host, which need not know that an answer was complete.
  class Late extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      handler.onRequestStart?.(controller, null);
      vi.advanceTimersByTime(150);
      expect(vi.getTimerCount()).toBe(0);
      handler.onResponseStart?.(controller, 204, {});
      handler.onResponseEnd?.(controller, {});
      return true;
    }
  }
  const signed = {
    accountId: 1,
    target: toTarget(new URL('http://127.0.0.1')),
    headers: [],
    body: '',
  };
  const times = { mayBegin: always, timestampMs: 0, timeoutMs: 150, timers: systemTimers };
  const result = await attempt(dispatcherConnections(new Late()), signed, times);
  expect(result).toMatchObject({ status: 204, error: null });
  expect(controller.abort).not.toHaveBeenCalled();
});

it('waits for nothing any more once it is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pending: number[] = [];
  class Prompt extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      handler.onRequestStart?.(CONTROLLER, null);
      vi.advanceTimersByTime(149);
      pending.push(vi.getTimerCount());
      handler.onResponseStart?.(CONTROLLER, 204, {});
      handler.onResponseEnd?.(CONTROLLER, {});
      return true;
    }
  }
  const signed = {
    accountId: 1,
    target: toTarget(new URL('http://127.0.0.1')),
    headers: [],
    body: '',
  };
  const times = { mayBegin: always, timestampMs: 0, timeoutMs: 150, timers: systemTimers };
  const result = resultOf(await attempt(dispatcherConnections(new Prompt()), signed, times));
  expect(result.durationMs).toSatisfy(Number.isInteger);
  pending.push(vi.getTimerCount());
  expect(pending).toEqual([1, 0]);
});
