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
  const callOff = vi.fn();
  const after = vi.fn(() => callOff);
  class Prompt extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      handler.onRequestStart?.(CONTROLLER, null);
      expect(callOff).not.toHaveBeenCalled();
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
  const times = { mayBegin: always, timestampMs: 0, timeoutMs: 150, timers: { after } };
  const result = resultOf(await attempt(dispatcherConnections(new Prompt()), signed, times));
  expect(result.durationMs).toSatisfy(Number.isInteger);
  expect(after.mock.calls).toMatchObject([[150, expect.any(Function)]]);
  expect(callOff).toHaveBeenCalledOnce();
});
