// Not the global one: where a test turns the clock, sockets are real nevertheless.
import { setImmediate } from 'node:timers';

let calls: (() => void)[] = [];

/**
 * Calls back once the event loop has read what there was to read, in the order of asking. So answers that came together
 * are worked off stage by stage, rather than each from its socket to the next request: code that runs ten times in a
 * row runs from the caches of the processor, into which all of it would not fit (ADR 37).
 *
 * @param call - must not throw
 */
export function atEndOfTurn(call: () => void): void {
  if (calls.push(call) === 1) setImmediate(callAll);
}

function callAll(): void {
  const asked = calls;
  calls = [];
  for (const call of asked) call();
}
