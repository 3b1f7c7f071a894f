import { expect, it, onTestFinished, vi } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import type { TestApp } from '../support/apps/test-app.ts';
import { JSON_TYPE } from '../support/clients/token-calls.ts';
import { countOf, describeRaces, inParallel } from '../support/storage/races.ts';

/** Logs in through the proxy that the app trusts. */
function logInFrom(app: TestApp, address: string, password: string): Promise<HttpResponse> {
  const headers = [...JSON_TYPE, 'x-forwarded-for', address];
  const body = JSON.stringify({ username: 'ada@example.com', password });
  return app.send({ method: 'POST', path: '/token', headers, body });
}

/** The addresses of the shed logins, each with the reason. */
function shed(app: TestApp): readonly string[] {
  return app.events.flatMap((event) =>
    event.type === 'login.shed' ? `${event.clientAddress} ${event.reason}` : [],
  );
}

describeRaces((start) => {
  it('a login is served next although another address has filled the queue', async () => {
    const verified: string[] = [];
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await start({
      behindProxy: true,
      passwords: {
        concurrency: 1,
        // The queue holds a hundred hashes: until one has been measured, their duration is assumed.
        maxWaitMs: 2_000,
        async verifier(user, password) {
          verified.push(password);
          await released;
          return user !== null;
        },
      },
    });
    // With a frozen clock no request has waited for two seconds, however slow the machine is.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const untilShed = (number: number) => expect.poll(() => shed(app)).toHaveLength(number);

    // One is verified, a hundred are queued, and one is shed.
    const crowd = inParallel(1 + 100 + 1, () => logInFrom(app, '192.0.2.1', 'one of a crowd'));
    await untilShed(1);
    const single = logInFrom(app, '198.51.100.1', 'single');
    await untilShed(2);
    release();

    expect((await single).status).toBe(200);
    expect(verified.indexOf('single')).toBeLessThanOrEqual(2);
    const responses = await crowd;
    expect([countOf(responses, 200), countOf(responses, 503)]).toEqual([100, 2]);
    expect(new Set(shed(app))).toEqual(new Set(['192.0.2.1 queue_full']));
  });
});
