import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClientError } from '@latchhook/client';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openBrowser } from '../support/tabs/browser.ts';
import { ADA, EXPIRED_MS } from '../support/tabs/client-app.ts';
import { startFaultyNetwork } from '../support/tabs/faulty-network.ts';

const ROUNDS = 200;
const TABS = [0, 1, 2];
const BASE_URL = 'http://api.test';

/** The allowed results of a request, whose own response may be lost too. */
const ALLOWED = [200, 'network_error', 'temporarily_unavailable', 'TypeError: fetch failed'];

/** Events that end a login or report theft. */
const ENDS = ['session.reused', 'session.rejected', 'session.revoked', 'session.rolled_forward'];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['bearer mode with Web Locks', { mode: 'bearer', locks: true, seed: 1 }],
  ['bearer mode without Web Locks', { mode: 'bearer', locks: false, seed: 2 }],
  ['cookie mode with Web Locks', { mode: 'cookie', locks: true, seed: 3 }],
  ['cookie mode without Web Locks', { mode: 'cookie', locks: false, seed: 4 }],
] as const)(
  'a client in %s stays logged in over 200 rounds of lost and late responses, closed tabs and restarts',
  async (_, { mode, locks, seed }) => {
    const network = await startFaultyNetwork(seed);
    onTestFinished(() => network.stop());
    const { random, settle } = network;
    const browser = openBrowser({ locks });
    const openTab = () => browser.openTab({ mode, baseUrl: BASE_URL, fetch: network.fetch });
    const tabs = TABS.map(openTab);
    await settle(Promise.all(tabs.slice(0, 1).map(({ client }) => client.login(ADA))));

    for (let round = 0; round < ROUNDS; round += 1) {
      // Gives all tabs the time to see what one of them has stored.
      network.pass(1000);
      await nextTurn();
      // The token expires by both clocks, or only by the server's clock if the device's clock is frozen.
      if (random() < 0.5) network.pass(EXPIRED_MS);
      else network.passOnServer(EXPIRED_MS);
      network.disturb();
      const answers = tabs.map(({ client }) => client.fetch('/me').then(statusOf, codeOf));
      if (random() < 0.3) {
        await settle(network.whenAsked());
        const closed = Math.floor(random() * TABS.length);
        tabs[closed]?.close();
        tabs[closed] = openTab();
        answers.splice(closed, 1);
      }
      if (random() < 0.2) await network.restart();
      for (const answer of await settle(Promise.all(answers))) expect(ALLOWED).toContain(answer);

      network.calm();
      const statuses = tabs.map(({ client }) => client.fetch('/me').then(statusOf));
      expect(await settle(Promise.all(statuses))).toEqual([200, 200, 200]);
    }

    expect(network.events().filter(({ type }) => ENDS.includes(type))).toEqual([]);
    expect(network.events().filter(({ type }) => type === 'login.succeeded')).toHaveLength(1);
    // Every kind of fault has occurred.
    expect([...network.tally.keys()].sort()).toEqual(['busy', 'cut', 'late', 'lost', 'unsent']);
  },
);

const statusOf = ({ status }: Response): number => status;
const codeOf = (error: unknown): unknown =>
  error instanceof ClientError ? error.code : String(error);
