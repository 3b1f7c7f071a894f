import { systemTimers } from '@latchhook/core/delivery';
import { Dispatcher } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { dispatcherConnections } from './connections.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { always, emptyRequest, resultOf } from './receivers.test.support.ts';
import { sendSigned } from './send-signed.ts';

const CONTROLLER = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

const SIGNED = emptyRequest('http://127.0.0.1');
const TIMES = { mayBegin: always, timestampMs: 0, timeoutMs: 150, timers: systemTimers };

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
  const result = await sendSigned(dispatcherConnections(new Late()), SIGNED, TIMES);
  expect(result).toMatchObject({ status: 204, error: null });
  expect(controller.abort).not.toHaveBeenCalled();
});

it('is broken off at its deadline, and not before, where no answer comes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const controller = { ...CONTROLLER, abort: vi.fn() };
  class Mute extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      handler.onRequestStart?.(controller, null);
      return true;
    }
  }
  const sent = sendSigned(dispatcherConnections(new Mute()), SIGNED, TIMES);
  vi.advanceTimersByTime(149);
  await new Promise<void>(atEndOfTurn);
  expect(controller.abort).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await new Promise<void>(atEndOfTurn);
  expect(controller.abort).toHaveBeenCalledOnce();
  expect(await sent).toMatchObject({ status: null, error: 'timeout' });
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
  const result = resultOf(await sendSigned(dispatcherConnections(new Prompt()), SIGNED, TIMES));
  expect(result.durationMs).toSatisfy(Number.isInteger);
  pending.push(vi.getTimerCount());
  expect(pending).toEqual([1, 0]);
});

it.each([
  ['7', 7_000],
  [['8', '9'], 8_000],
])(
  'reads what a refusal asks for where a dispatcher of the host has parsed it: %j',
  async (value, ms) => {
    class Refusing extends Dispatcher {
      override dispatch(
        _: Dispatcher.DispatchOptions,
        handler: Dispatcher.DispatchHandler,
      ): boolean {
        handler.onRequestStart?.(CONTROLLER, null);
        handler.onResponseStart?.(CONTROLLER, 503, { server: undefined, 'retry-after': value });
        handler.onResponseData?.(CONTROLLER, Buffer.from('later'));
        handler.onResponseEnd?.(CONTROLLER, {});
        return true;
      }
    }
    const result = await sendSigned(dispatcherConnections(new Refusing()), SIGNED, TIMES);
    expect(result).toMatchObject({ status: 503, retryAfterMs: ms, response: 'later' });
  },
);
