import { Dispatcher } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { request, resultOf, sender } from './receivers.test.support.ts';

const URL_OF_NOBODY = 'http://127.0.0.1';

/** A dispatcher of the host that does this with each request; what it did is known once it is asked. */
function dispatcherThat(act: (handler: Required<Handler>, controller: Controller) => void) {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: vi.fn(),
    pause() {},
    resume() {},
  };
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  class Scripted extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      act(handler as Required<Handler>, controller);
      ask();
      return true;
    }
  }
  return { dispatcher: new Scripted(), controller, asked };
}

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

it('an attempt accepts an answer that arrives as its deadline passes', async () => {
  stopTimers();
  const { dispatcher, controller } = dispatcherThat((handler, controller) => {
    handler.onRequestStart(controller, null);
    vi.advanceTimersByTime(150);
    expect(vi.getTimerCount()).toBe(0);
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
  });
  const result = await sender({ dispatcher, timeoutMs: 150 }).send(request(URL_OF_NOBODY));
  expect(result).toMatchObject({ status: 204, error: null });
  expect(controller.abort).not.toHaveBeenCalled();
});

it('an attempt without an answer is aborted at its deadline, and not before', async () => {
  stopTimers();
  const { dispatcher, controller, asked } = dispatcherThat((handler, controller) =>
    handler.onRequestStart(controller, null),
  );
  const sent = sender({ dispatcher, timeoutMs: 150 }).send(request(URL_OF_NOBODY));
  await asked;
  vi.advanceTimersByTime(149);
  await new Promise(setImmediate);
  expect(controller.abort).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(await sent).toMatchObject({ status: null, error: 'timeout' });
  expect(controller.abort).toHaveBeenCalledOnce();
});

it('an attempt that has ended leaves no timer', async () => {
  stopTimers();
  const pending: number[] = [];
  const { dispatcher } = dispatcherThat((handler, controller) => {
    handler.onRequestStart(controller, null);
    vi.advanceTimersByTime(149);
    pending.push(vi.getTimerCount());
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
  });
  const { send } = sender({ dispatcher, timeoutMs: 150 });
  expect(resultOf(await send(request(URL_OF_NOBODY))).durationMs).toSatisfy(Number.isInteger);
  pending.push(vi.getTimerCount());
  expect(pending).toEqual([1, 0]);
});

it("an attempt ends once, even if the host's dispatcher calls back again", async () => {
  const { dispatcher } = dispatcherThat((handler, controller) => {
    handler.onRequestStart(controller, null);
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
    handler.onResponseStart(controller, 500, {});
    handler.onResponseError(controller, new Error('late'));
  });
  const made = sender({ dispatcher });
  expect(await made.send(request(URL_OF_NOBODY))).toMatchObject({ status: 204, error: null });
  // It waits for what is in flight, which it counts.
  await made.close();
});

it.each([
  ['7', 7_000],
  [['8', '9'], 8_000],
])(
  "Retry-After is read from an answer that the host's dispatcher has parsed: %j",
  async (value, ms) => {
    const { dispatcher } = dispatcherThat((handler, controller) => {
      handler.onRequestStart(controller, null);
      const headers: Record<string, string | string[]> = { 'retry-after': value };
      handler.onResponseStart(controller, 503, headers);
      handler.onResponseData(controller, Buffer.from('later'));
      handler.onResponseEnd(controller, {});
    });
    const result = await sender({ dispatcher }).send(request(URL_OF_NOBODY));
    expect(result).toMatchObject({ status: 503, retryAfterMs: ms });
  },
);
