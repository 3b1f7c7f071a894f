import { setTimeout as elapsed } from 'node:timers/promises';
import type { Auth, SecurityEvent } from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type AppClient, type AppResponse, tokensOf } from '../../support/apps/app-client.ts';
import { startHostApp } from '../../support/apps/start-host-app.ts';
import {
  type CountingReceiver,
  startCountingReceiver,
} from '../../support/deliveries/counting-receiver.ts';
import { ADVISED_REDIS_OPTIONS } from '../../support/servers/advised-redis-options.ts';
import type { SentinelGroup } from '../../support/servers/redis-sentinels.ts';

const SESSIONS = 20;
const PAUSE_MS = 20;
/** Longer than the lease of an attempt whose end could not be recorded, ms. */
const ARRIVAL_MS = 30_000;
const USER = 'ada@example.com';

/** An app whose Redis is a group with Sentinels, and the receiver of its only webhook. */
export interface FollowingApp {
  readonly auth: Auth;
  readonly client: AppClient;
  readonly receiver: CountingReceiver;
  readonly events: readonly SecurityEvent[];
}

/** Starts the app until the end of the test, with the client that the README of `@latchhook/redis` advises. */
export async function startFollowingApp({ sentinels, name }: SentinelGroup): Promise<FollowingApp> {
  const redis = new Redis({ ...ADVISED_REDIS_OPTIONS, sentinels: [...sentinels], name });
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  const user = { id: 'ada', accounts: [1], passwordHash: null };
  const events: SecurityEvent[] = [];
  const { auth, client } = await startHostApp({
    users: { findByUsername: async () => user, findById: async () => user },
    storage: redisStorage(redis),
    throttle: false,
    maxSessionsPerUser: 1_000,
    passwords: { verifier: async () => true },
    webhooks: {
      worker: inProcessWorker(),
      allowHttp: true,
      allowPrivateAddresses: true,
    },
    onSecurityEvent: (event) => void events.push(event),
  });
  onTestFinished(() => auth.close());

  const receiver = await startCountingReceiver();
  const bearer = tokensOf(await untilAnswered(() => client.login(USER))).accessToken;
  const json = { event: 'Contact.Added', url: receiver.url, rate_limit: 1_000 };
  const { status } = await client.send('POST', '/webhooks', { bearer, json });
  if (status !== 201) throw new Error(`no webhook: ${status}`);
  return { auth, client, receiver, events };
}

/** Everything that the app has acknowledged, and the statuses of all responses. */
export interface Journal {
  /** The newest refresh token of each session that is refreshed repeatedly. */
  readonly newest: string[];
  /** A refresh token of each session that was never refreshed. */
  readonly loggedIn: string[];
  readonly revoked: string[];
  readonly published: string[];
  readonly statuses: number[];
  rotations: number;
}

/** Starts the sessions that are refreshed repeatedly. */
export async function openJournal({ client }: FollowingApp): Promise<Journal> {
  const newest: string[] = [];
  while (newest.length < SESSIONS) {
    newest.push(tokensOf(await untilAnswered(() => client.login(USER))).refreshToken);
  }
  return { newest, loggedIn: [], revoked: [], published: [], statuses: [], rotations: 0 };
}

/** Clients that log in, refresh, revoke and publish until they are stopped. */
export interface Load {
  /** Resolves to the time at which every client has had another success. */
  untilServed(): Promise<number>;
  stop(): Promise<void>;
}

export function startLoad({ auth, client }: FollowingApp, journal: Journal): Load {
  const stopping = new AbortController();
  let served = new Set<() => Promise<boolean>>();
  const clients = [...journal.newest.keys()].map((nth) => () => refresh(nth));
  const running = [...clients, logIn, revoke, publish].map(async (ask) => {
    while (!stopping.signal.aborted) {
      if (await ask()) served.add(ask);
      await elapsed(PAUSE_MS);
    }
  });
  onTestFinished(() => stopping.abort());

  async function refresh(nth: number): Promise<boolean> {
    const response = await client.refresh(journal.newest[nth] ?? '');
    if (!isAcknowledged(response)) return false;
    journal.newest[nth] = tokensOf(response).refreshToken;
    journal.rotations += 1;
    return true;
  }

  async function logIn(): Promise<boolean> {
    const response = await client.login(USER);
    if (!isAcknowledged(response)) return false;
    journal.loggedIn.push(tokensOf(response).refreshToken);
    return true;
  }

  /** Uses a login of its own: until its revocation is acknowledged, nobody knows whether it has ended. */
  async function revoke(): Promise<boolean> {
    const login = await client.login(USER);
    if (!isAcknowledged(login)) return false;
    const { refreshToken } = tokensOf(login);
    if (!isAcknowledged(await client.revoke(refreshToken))) return false;
    journal.revoked.push(refreshToken);
    return true;
  }

  async function publish(): Promise<boolean> {
    try {
      const data = { contactId: 'c_1', email: USER };
      const { id } = await auth.events.publish('Contact.Added', { accountId: 1, data });
      journal.published.push(id);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns whether the response acknowledges the request; also records its status. */
  function isAcknowledged({ status }: AppResponse): boolean {
    journal.statuses.push(status);
    return status === 200;
  }

  return {
    async untilServed() {
      served = new Set();
      while (served.size < running.length) await elapsed(1);
      return performance.now();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** The number of acknowledged operations in the journal. */
export function countAcknowledged({ rotations, loggedIn, revoked, published }: Journal): number {
  return rotations + loggedIn.length + revoked.length + published.length;
}

/** The numbers of acknowledged operations that are lost. */
export interface Lost {
  readonly rotations: number;
  readonly logins: number;
  readonly revocations: number;
  readonly events: number;
}

/** Checks everything in the journal, by using every session in it. */
export async function findLost(
  { client, receiver, events }: FollowingApp,
  { newest, loggedIn, revoked, published }: Journal,
): Promise<Lost> {
  const countOf = async (tokens: readonly string[], status: number) => {
    let count = 0;
    for (const token of tokens) {
      const response = await untilAnswered(() => client.refresh(token));
      if (response.status === status) count += 1;
    }
    return count;
  };
  const logins = newest.length + loggedIn.length - (await countOf([...newest, ...loggedIn], 200));
  const revocations = revoked.length - (await countOf(revoked, 400));
  // A session whose rotation was lost rolls forward when its newest token is used.
  const rotations = events.filter(({ type }) => type === 'session.rolled_forward').length;
  return { rotations, logins, revocations, events: await countMissing(receiver, published) };
}

/** Repeats a request while the response is 503: on a busy machine any call may exceed its deadline. */
async function untilAnswered(ask: () => Promise<AppResponse>): Promise<AppResponse> {
  for (;;) {
    const response = await ask();
    if (response.status !== 503) return response;
    await elapsed(PAUSE_MS);
  }
}

async function countMissing({ arrivals }: CountingReceiver, ids: readonly string[]) {
  const missing = () => ids.filter((id) => !arrivals.has(id)).length;
  const endMs = performance.now() + ARRIVAL_MS;
  while (missing() > 0 && performance.now() < endMs) await elapsed(PAUSE_MS);
  return missing();
}
