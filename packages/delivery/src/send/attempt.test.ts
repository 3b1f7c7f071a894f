import { Dispatcher } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { request, resultOf, sender } from './receivers.test.support.ts';

const TIMEOUT_MS = 150;
/** The dispatchers of these tests open no connection. */
const ANY_URL = 'http://127.0.0.1';

/** Creates a dispatcher of the host that runs `act` for each request. `dispatched` resolves at the first request. */
function scriptedDispatcher(act: (handler: Required<Handler>, controller: Controller) => void) {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: vi.fn(),
    pause() {},
    resume() {},
  };
  let onDispatch = (): void => {};
  const dispatched = new Promise<void>((resolve) => {
    onDispatch = resolve;
  });
  class Scripted extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      act(handler as Required<Handler>, controller);
      onDispatch();
      return true;
    }
  }
  return { dispatcher: new Scripted(), controller, dispatched };
}

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

it('an attempt accepts a response that arrives in the same turn of the event loop as its deadline', async () => {
  stopTimers();
  const { dispatcher, controller } = scriptedDispatcher((handler, controller) => {
    handler.onRequestStart(controller, null);
    vi.advanceTimersByTime(TIMEOUT_MS);
    expect(vi.getTimerCount()).toBe(0);
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
  });
  const result = await sender({ dispatcher, timeoutMs: TIMEOUT_MS }).send(request(ANY_URL));
  expect(result).toMatchObject({ status: 204, error: null });
  expect(controller.abort).not.toHaveBeenCalled();
});

it('an attempt without a response is aborted at its deadline', async () => {
  stopTimers();
  const { dispatcher, controller, dispatched } = scriptedDispatcher((handler, controller) =>
    handler.onRequestStart(controller, null),
  );
  const outcome = sender({ dispatcher, timeoutMs: TIMEOUT_MS }).send(request(ANY_URL));
  await dispatched;
  vi.advanceTimersByTime(TIMEOUT_MS - 1);
  await new Promise(setImmediate);
  expect(controller.abort).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(await outcome).toMatchObject({ status: null, error: 'timeout' });
  expect(controller.abort).toHaveBeenCalledOnce();
});

it('an attempt that has ended leaves no timer', async () => {
  stopTimers();
  const timerCounts: number[] = [];
  const { dispatcher } = scriptedDispatcher((handler, controller) => {
    handler.onRequestStart(controller, null);
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    timerCounts.push(vi.getTimerCount());
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
  });
  await sender({ dispatcher, timeoutMs: TIMEOUT_MS }).send(request(ANY_URL));
  timerCounts.push(vi.getTimerCount());
  expect(timerCounts).toEqual([1, 0]);
});

it('the duration of an attempt is a whole number of milliseconds', async () => {
  const { dispatcher } = scriptedDispatcher((handler, controller) => {
    handler.onRequestStart(controller, null);
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
  });
  const result = resultOf(await sender({ dispatcher }).send(request(ANY_URL)));
  expect(result.durationMs).toSatisfy(Number.isInteger);
});

it("an attempt ends once, even if the host's dispatcher calls back again", async () => {
  const { dispatcher } = scriptedDispatcher((handler, controller) => {
    handler.onRequestStart(controller, null);
    handler.onResponseStart(controller, 204, {});
    handler.onResponseEnd(controller, {});
    handler.onResponseStart(controller, 500, {});
    handler.onResponseError(controller, new Error('late'));
  });
  const { send, close } = sender({ dispatcher });
  expect(await send(request(ANY_URL))).toMatchObject({ status: 204, error: null });
  // `close` waits until no attempt is counted as in flight.
  await close();
});

it.each([
  ['7', 7_000],
  [['8', '9'], 8_000],
])(
  "Retry-After is read from a response that the host's dispatcher has parsed: %j",
  async (value, ms) => {
    const { dispatcher } = scriptedDispatcher((handler, controller) => {
      handler.onRequestStart(controller, null);
      const headers: Record<string, string | string[]> = { 'retry-after': value };
      handler.onResponseStart(controller, 503, headers);
      handler.onResponseData(controller, Buffer.from('later'));
      handler.onResponseEnd(controller, {});
    });
    const result = await sender({ dispatcher }).send(request(ANY_URL));
    expect(result).toMatchObject({ status: 503, retryAfterMs: ms });
  },
);
