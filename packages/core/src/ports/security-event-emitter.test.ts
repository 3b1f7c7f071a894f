import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AccountId } from '../account-id.ts';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import { createSecurityEvents } from './security-event-emitter.ts';
import type { TimedSecurityEvent } from './security-events.ts';

const clock = { nowMs: () => 1_795_000_000_000 };
const revoked = {
  type: 'sessions.revoked_all',
  userId: 'ada',
  actor: 'host',
  ...UNKNOWN_CLIENT,
} as const;

function failedCommand(): Error {
  const cause = Object.assign(new Error('READONLY'), { command: { args: ['s3cret-argument'] } });
  return Object.assign(new Error('no storage', { cause }), { parameters: ['s3cret-parameter'] });
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('security events', () => {
  it('reach a subscriber, with a timestamp, until it unsubscribes', () => {
    const events = createSecurityEvents(clock);
    const received: TimedSecurityEvent<AccountId>[] = [];
    const unsubscribe = events.subscribe((event) => void received.push(event));
    events.emit(revoked);
    unsubscribe();
    events.emit(revoked);
    expect(received).toEqual([{ ...revoked, atMs: 1_795_000_000_000 }]);
  });

  it('are copied for each listener, so that a change affects neither the login nor others', () => {
    const events = createSecurityEvents(clock);
    const login = {
      type: 'login.succeeded',
      actor: 'user',
      userId: 'ada',
      sessionId: 's1',
      accountId: null,
      scopes: ['user'],
      amr: ['pwd'],
      ...UNKNOWN_CLIENT,
    } as const;
    const received: unknown[] = [];
    events.subscribe((event) => {
      if ('scopes' in event) (event.scopes as string[]).push('admin');
      if ('amr' in event) (event.amr as string[]).length = 0;
    });
    events.subscribe((event) => void received.push('scopes' in event && event.scopes));
    events.emit(login);
    expect([login.scopes, login.amr]).toEqual([['user'], ['pwd']]);
    expect(received).toEqual([['user']]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])(
    'reach the next listener, with one warning, if a listener %s',
    async (_, broken: () => void) => {
      const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
      const events = createSecurityEvents(clock);
      const received: TimedSecurityEvent<AccountId>[] = [];
      events.subscribe(broken);
      events.subscribe((event) => void received.push(event));
      events.emit(revoked);
      events.emit(revoked);
      await new Promise(setImmediate);
      expect(received).toHaveLength(2);
      expect(warned).toHaveBeenCalledOnce();
    },
  );

  it('contain a fault without the arguments of the failed command', () => {
    const events = createSecurityEvents(clock);
    const received: TimedSecurityEvent<AccountId>[] = [];
    events.subscribe((event) => void received.push(event));
    events.emit({ type: 'fault', where: 'storage', error: failedCommand() });
    const text = inspect(received, { depth: 10 });
    expect(text).toContain('no storage');
    expect(text).toContain('READONLY');
    expect(text).not.toContain('s3cret');
  });

  it('reach an observer until it is removed', () => {
    const events = createSecurityEvents(clock);
    const received: TimedSecurityEvent<AccountId>[] = [];
    const remove = events.observe((event) => void received.push(event));
    events.emit(revoked);
    remove();
    events.emit(revoked);
    expect(received).toEqual([{ ...revoked, atMs: 1_795_000_000_000 }]);
  });

  it('are printed only if they are faults and there is no subscriber', () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const events = createSecurityEvents(clock);
    events.observe(() => undefined);
    events.emit(revoked);
    expect(printed).not.toHaveBeenCalled();
    events.emit({ type: 'fault', where: 'storage', error: failedCommand() });
    expect(printed).toHaveBeenCalledOnce();
    expect(inspect(printed.mock.calls, { depth: 10 })).not.toContain('s3cret');
  });

  it.each(['subscribe', 'observe'] as const)(
    'reject a listener that is no function at `%s`, and still print faults',
    (method) => {
      const printed = vi.spyOn(console, 'error').mockReturnValue();
      const events = createSecurityEvents(clock);
      for (const listener of [undefined, 'fault', { handle: () => undefined }]) {
        expect(() => Reflect.apply(events[method], events, [listener])).toThrow(
          expect.objectContaining({ code: 'on_security_event_invalid' }),
        );
      }
      events.emit({ type: 'fault', where: 'storage', error: failedCommand() });
      expect(printed).toHaveBeenCalledOnce();
    },
  );
});
