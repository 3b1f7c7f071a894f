import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { TimedSecurityEvent } from '@latchhook/core';
import { redisStorage } from '@latchhook/redis';
import { assertHoldsNoSecrets, certifyAtRest } from '@latchhook/testkit';
import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import {
  CONFIRM,
  codeOf,
  type EnrolmentBody,
  RECOVERY_CODES,
  type RecoveryCodesBody,
  TOTP,
} from '../support/mfa-calls.ts';
import { NEW_PAT, type NewPatBody, PATS } from '../support/pat-calls.ts';
import { redisStorageHarness } from '../support/redis-storage-harness.ts';
import { SESSIONS } from '../support/session-calls.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import {
  GRACE_RECOVERY_CODES,
  refreshSecret,
  signingKey,
  startTestApp,
  type TestApp,
} from '../support/test-app.ts';
import {
  answerChallenge,
  type ChallengeBody,
  get,
  logIn,
  postForm,
  postJson,
  putJson,
  refresh,
  revoke,
  type TokenBody,
  totp,
  wrongCode,
} from '../support/token-calls.ts';
import { GRACE_TOTP_SECRET, TEST_PASSWORD } from '../support/users.ts';
import { callsWith } from '../support/webhook-calls.ts';

/** The private part of the signing key, without the lines around it. */
const [signingKeyBody = ''] = /(?<=KEY-----\n)[^-]+?(?=\n)/.exec(signingKey) ?? [];

/** The users' secrets and the app's. */
const STANDING: readonly string[] = [
  TEST_PASSWORD,
  GRACE_TOTP_SECRET,
  ...GRACE_RECOVERY_CODES,
  ...GRACE_RECOVERY_CODES.map((code) => code.replaceAll('-', '')),
  signingKeyBody,
  refreshSecret,
];

const enrolment = { mfa: { enrolment: true } };

function secret(): string {
  return `canary-${randomBytes(12).toString('hex')}`;
}

/** Sends secrets in every field through every flow, right and wrong, and answers with all of them. */
async function useSecrets(app: TestApp): Promise<readonly string[]> {
  const used: string[] = [];
  const made = <Body>(answer: Answer): Body => {
    const body = JSON.parse(answer.body);
    for (const name of ['access_token', 'refresh_token', 'challenge', 'token']) {
      if (typeof body[name] === 'string') used.push(body[name]);
    }
    return body;
  };
  const canary = (): string => {
    const fresh = secret();
    used.push(fresh);
    return fresh;
  };

  const first = made<TokenBody>(await logIn(app, 'ada', { scopes: 'user,admin' }));
  const token = first.refresh_token ?? canary();
  await logIn(app, 'ada', { password: canary() });
  await logIn(app, 'nobody', { password: canary() });
  await logIn(app, 'kurt', { password: canary() });
  await logIn(app, 'ada', { password: canary(), scopes: 1 });
  await postForm(app, '/token', { username: 'ada@example.com', password: canary() });
  await postJson(app, '/token', `{"password":"${canary()}"`);

  made(await refresh(app, token));
  made(await putJson(app, '/token', { refresh_token: token }));
  await refresh(app, canary());
  await refresh(app, `lh_rt_${canary()}`);
  await refresh(app, `${token}A`);
  await get(app, '/me', first.access_token);
  await get(app, '/admin', first.access_token);
  await get(app, '/me', canary());

  for (const code of [wrongCode(app), GRACE_RECOVERY_CODES[0], totp(app), 'ABCD-EFGH-IJKL-MNOP']) {
    const { challenge } = made<ChallengeBody>(await logIn(app, 'grace'));
    made(await answerChallenge(app, challenge ?? canary(), { code }));
    await answerChallenge(app, challenge ?? canary(), { code: canary() });
  }
  used.push('ABCD-EFGH-IJKL-MNOP', 'ABCDEFGHIJKLMNOP');
  await answerChallenge(app, canary(), { code: totp(app) });

  const manager = callsWith(
    app,
    made<TokenBody>(await logIn(app, 'ada', { scopes: 'auth' })).access_token ?? canary(),
  );
  for (const name of ['used', 'leaked', 'held']) {
    const { id, token: pat = canary() } = made<Partial<NewPatBody>>(
      await manager.send('POST', PATS, { ...NEW_PAT, name, scopes: ['user', 'internal'] }),
    );
    await get(app, '/me', pat);
    await get(app, '/admin', pat);
    await refresh(app, pat);
    for (const asked of [pat, `${pat}A`, first.access_token, first.refresh_token, canary()]) {
      await callsWith(app, pat).send('POST', '/token/introspect', { token: asked });
    }
    if (name === 'leaked') await app.auth.personalAccessTokens.revokeLeaked(pat).catch(() => null);
    if (name === 'held') await revoke(app, pat);
    await manager.send('GET', PATS);
    await manager.send('DELETE', `${PATS}/${id ?? canary()}`);
    await manager.send('DELETE', `${PATS}/${pat}`);
  }
  await manager.send('POST', PATS, { ...NEW_PAT, token: canary(), scopes: [canary()] });

  used.push(...(await useFactor(app)));

  // Reuse, and revocation of what is dead, of what lives and of what never was.
  app.clock.advance(61_000);
  await refresh(app, token);
  await revoke(app, token);
  const other = made<TokenBody>(await logIn(app, 'ada'));
  await revoke(app, other.access_token ?? canary());
  await revoke(app, canary());
  return [...STANDING, ...used];
}

/** Enrols a factor, and lets it be used and renewed. It is left behind. */
async function useFactor(app: TestApp): Promise<readonly string[]> {
  app.users.change('alan', { scopes: ['user', 'auth'] });
  const login = await logIn(app, 'alan', { scopes: 'auth' });
  const { access_token: token = secret() }: Partial<TokenBody> = JSON.parse(login.body);
  const calls = callsWith(app, token);
  const begun: Partial<EnrolmentBody> = JSON.parse((await calls.send('POST', TOTP)).body);
  const { secret: totpSecret = GRACE_TOTP_SECRET, otpauth_uri: uri, qr_svg: picture } = begun;
  const used = [token, totpSecret, ...(uri && picture ? [uri, picture] : [])];
  const codesOf = (answer: Answer): readonly string[] => {
    const { recovery_codes: codes = [] }: Partial<RecoveryCodesBody> = JSON.parse(answer.body);
    used.push(...codes, ...codes.map((code) => code.replaceAll('-', '')));
    return codes;
  };

  await calls.send('POST', CONFIRM, { code: secret() });
  await calls.send('POST', CONFIRM, { code: codeOf(app, totpSecret, 9) });
  const [first] = codesOf(await calls.send('POST', CONFIRM, { code: codeOf(app, totpSecret) }));
  app.clock.advance(30_000);
  let byFactor = calls;
  for (const code of [first, first, codeOf(app, totpSecret)]) {
    const pending: Partial<ChallengeBody> = JSON.parse((await logIn(app, 'alan')).body);
    const { challenge = secret() } = pending;
    const answer = await answerChallenge(app, challenge, { code, scopes: ['user', 'auth'] });
    const tokens: Partial<TokenBody> = JSON.parse(answer.body);
    used.push(challenge, ...(tokens.access_token ? [tokens.access_token] : []));
    if (tokens.access_token) byFactor = callsWith(app, tokens.access_token);
  }
  codesOf(await byFactor.send('POST', RECOVERY_CODES));
  await calls.send('GET', SESSIONS);
  await calls.send('DELETE', `${SESSIONS}/${secret()}`);
  return used;
}

/** Everything that is written to the console while the test runs. */
function watchOutput(): () => string {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1'));
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    const spy = vi.spyOn(console, name).mockImplementation((...printed) => {
      written.push(inspect(printed, { depth: Number.POSITIVE_INFINITY }));
    });
    onTestFinished(() => spy.mockRestore());
  }
  const onWarning = (warning: Error): void => void written.push(inspect(warning));
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return () => written.join('\n');
}

/** To the last property, hidden ones too: errors of drivers carry their commands. */
function inspected(value: unknown): string {
  return inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    maxArrayLength: null,
    maxStringLength: null,
    showHidden: true,
  });
}

function faultsOf(events: readonly TimedSecurityEvent[]): readonly TimedSecurityEvent[] {
  return events.filter(({ type }) => type === 'fault');
}

describe.each(['express', 'koa'] as const)('no secret shows, in %s', (framework) => {
  it('in the console, in events, or in what Redis is told', async () => {
    const output = watchOutput();
    const redis = new Redis(inject('redisUrl'));
    const monitor = await redis.monitor();
    onTestFinished(() => {
      monitor.disconnect();
      redis.disconnect();
    });
    const told: string[] = [];
    monitor.on('monitor', (_time: string, command: readonly string[]) => {
      told.push(command.join('\n'));
    });

    const app = await startTestApp(
      { framework, storage: 'redis' },
      { auth: { ...enrolment, throttle: {} } },
    );
    onTestFinished(() => app.stop());
    const secrets = await useSecrets(app);
    // Redis tells of commands in their order: once it has told of this one, it has told of all.
    const marker = secret();
    await redis.echo(marker);
    await vi.waitFor(() => expect(told.join('\n')).toContain(marker));

    expect(told.join('\n')).toContain(app.keyPrefix);
    expect(app.events.length).toBeGreaterThan(10);
    expect(app.events.filter(({ type }) => type === 'factor.enrolled')).toHaveLength(1);
    assertHoldsNoSecrets(told.join('\n'), secrets);
    assertHoldsNoSecrets(inspected(app.events), secrets);
    assertHoldsNoSecrets(output(), secrets);
  });

  it('in the errors of a Redis that is down', async () => {
    const output = watchOutput();
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const redis = new Redis(proxy.url, { maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    redis.on('error', () => {});
    onTestFinished(() => redis.disconnect());

    const events: TimedSecurityEvent[] = [];
    const app = await startTestApp(
      { framework, storage: 'memory' },
      {
        auth: enrolment,
        wrapStorage: (_storage, clock) =>
          redisStorage(redis, { clock, deadlineMs: 50, keyPrefix: secret() }),
      },
    );
    onTestFinished(() => app.stop());
    app.auth.securityEvents.subscribe((event) => events.push(event));

    const secrets = [...(await useSecrets(app))];
    await proxy.dropReplies();
    secrets.push(...(await useSecrets(app)));
    await proxy.refuse();
    secrets.push(...(await useSecrets(app)));

    expect(faultsOf(events).length).toBeGreaterThan(10);
    assertHoldsNoSecrets(inspected(events), secrets);
    assertHoldsNoSecrets(output(), secrets);
  });

  it('in the errors of a directory that fails with what it was asked', async () => {
    const output = watchOutput();
    const app = await startTestApp(
      { framework, storage: 'memory' },
      {
        auth: enrolment,
        directory: (users) => ({
          ...users,
          findByUsername: () => Promise.reject(new Error('no database')),
        }),
      },
    );
    onTestFinished(() => app.stop());
    const secrets = await useSecrets(app);
    expect(faultsOf(app.events).length).toBeGreaterThan(0);
    assertHoldsNoSecrets(inspected(app.events), secrets);
    assertHoldsNoSecrets(output(), secrets);
  });

  describe('Redis', () => {
    certifyAtRest(
      { describe, it },
      redisStorageHarness(() => new Redis(inject('redisUrl'))),
      async ({ storage }) => {
        const app = await startTestApp(
          { framework, storage: 'memory' },
          { auth: enrolment, wrapStorage: () => storage },
        );
        onTestFinished(() => app.stop());
        return useSecrets(app);
      },
    );
  });
});
