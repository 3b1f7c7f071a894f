import { PassThrough, Writable } from 'node:stream';
import type { SecurityEventListener, SecurityEvents, TimedSecurityEvent } from '@latchhook/core';
import { writeAuditLog } from '@latchhook/example-demo';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';
import { logIn, session } from '../support/clients/token-calls.ts';

const NOW_MS = Date.UTC(2027, 0, 2, 3, 4, 5);
const failedLogin: TimedSecurityEvent = {
  type: 'login.failed',
  username: 'ada@example.com',
  userId: null,
  reason: 'unknown_user',
  actor: 'user',
  clientAddress: '192.0.2.1',
  userAgent: null,
  atMs: NOW_MS,
};

/** Security events that the test emits itself. */
function eventsByHand() {
  const listeners = new Set<SecurityEventListener>();
  const subscribe: SecurityEvents['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const emit = (event: TimedSecurityEvent) => listeners.forEach((listener) => void listener(event));
  return { emit, events: { subscribe, observe: subscribe } };
}

function linesOf(stream: PassThrough): readonly string[] {
  // Since Node.js 26, `read()` returns a single write.
  const text = String(stream.read(stream.readableLength) ?? '');
  return text.split('\n').slice(0, -1);
}

describe('the audit log', () => {
  it('writes each event of an app as a line of JSON', async () => {
    const app = await startTestApp({ framework: 'express', storage: 'memory' });
    onTestFinished(() => app.stop());
    const stream = new PassThrough();
    const stop = writeAuditLog(app.auth.securityEvents, stream);
    await session(app);
    await logIn(app, 'nobody', { password: 'a secret' });
    stop();
    await session(app);
    const at = new Date(app.clock.nowMs()).toISOString();
    const lines = linesOf(stream);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { at, type: 'login.succeeded', userId: 'ada', clientAddress: '127.0.0.1' },
      { at, type: 'login.failed', username: 'nobody@example.com', reason: 'unknown_user' },
    ]);
    expect(lines.join()).not.toContain('a secret');
  });

  it('escapes line breaks and control characters in a username', () => {
    const { emit, events } = eventsByHand();
    const stream = new PassThrough();
    writeAuditLog(events, stream);
    const username = 'ada\n{"type":"fake"}\r\u001b[2J\u009b2J\u007f\u2028\u202e\u{e0041}';
    emit({ ...failedLogin, username });
    const [line = '', ...more] = linesOf(stream);
    expect(more).toEqual([]);
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(line)).toMatchObject({ at: '2027-01-02T03:04:05.000Z', username });
  });

  it('describes a fault by the names and messages of its errors', () => {
    const { emit, events } = eventsByHand();
    const stream = new PassThrough();
    writeAuditLog(events, stream);
    const error = new TypeError('no storage', { cause: new Error('READONLY') });
    emit({ type: 'fault', where: 'storage', error, atMs: NOW_MS });
    expect(JSON.parse(linesOf(stream)[0] ?? '')).toEqual({
      at: '2027-01-02T03:04:05.000Z',
      type: 'fault',
      where: 'storage',
      error: 'TypeError: no storage, because of Error: READONLY',
    });
  });

  it('drops lines if the stream is too slow, and then writes the number of dropped lines', () => {
    const { emit, events } = eventsByHand();
    const written: string[] = [];
    let release = (): void => {};
    const stream = new Writable({
      decodeStrings: false,
      write(line: string, _encoding, done) {
        written.push(line);
        release = done;
      },
    });
    writeAuditLog(events, stream);
    for (let count = 0; count < 10_000; count += 1) emit(failedLogin);
    expect(stream.writableLength).toBeLessThanOrEqual(1_048_576);
    const expectedLines = Math.round(stream.writableLength / (written[0]?.length ?? 1));
    for (let count = 0; count < expectedLines; count += 1) release();
    emit(failedLogin);
    const [gap = '', last = ''] = written.slice(expectedLines).join('').split('\n');
    expect([JSON.parse(gap), JSON.parse(last)]).toMatchObject([
      { type: 'audit.lost', count: 10_000 - expectedLines },
      { type: 'login.failed' },
    ]);
  });

  it('prints one error and goes on after its stream has failed', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    const { emit, events } = eventsByHand();
    const stream = new PassThrough();
    writeAuditLog(events, stream);
    stream.destroy(new Error('no space left on device'));
    emit(failedLogin);
    await new Promise(setImmediate);
    emit(failedLogin);
    expect(printed.mock.calls).toEqual([['audit log: no space left on device']]);
  });
});
