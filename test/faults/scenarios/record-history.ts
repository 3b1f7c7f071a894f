import { setTimeout as elapsed } from 'node:timers/promises';
import { type AppClient, tokensOf } from '../../support/apps/app-client.ts';
import type { Operation } from './history.ts';

export interface Family {
  readonly id: number;
  readonly firstToken: string;
}

const MOST_TABS = 3;
const REVOKE_SHARE = 0.004;
/** The Retry-After of a 503, ms. After it, no earlier command can take effect. */
const REST_MS = 1_000;

/**
 * A client with a few logins. It refreshes them one after the other, often from several tabs together and at several
 * processes. Sometimes it logs out, and still tries to refresh.
 */
export async function recordHistory(
  apps: readonly AppClient[],
  families: readonly Family[],
  random: () => number,
  stop: AbortSignal,
): Promise<readonly Operation[]> {
  const history: Operation[] = [];
  const newest = new Map(families.map(({ id, firstToken }) => [id, firstToken]));
  const restsUntilMs = new Map<number, number>();

  while (!stop.aborted) {
    for (const { id } of families) {
      if (performance.now() < (restsUntilMs.get(id) ?? 0)) continue;
      const tokenIn = newest.get(id) ?? '';
      const tabs = Array.from({ length: 1 + Math.floor(random() * MOST_TABS) }, () =>
        operate(id, random() < REVOKE_SHARE ? 'revoke' : 'refresh', tokenIn),
      );
      const round = await Promise.all(tabs);
      history.push(...round);
      for (const { tokenOut } of round) if (tokenOut !== undefined) newest.set(id, tokenOut);
      if (round.some(({ status }) => status === 503)) {
        restsUntilMs.set(id, performance.now() + REST_MS);
      }
    }
    await elapsed(1);
  }
  return history;

  async function operate(
    family: number,
    kind: Operation['kind'],
    tokenIn: string,
  ): Promise<Operation> {
    const app = apps[Math.floor(random() * apps.length)];
    if (app === undefined) throw new Error('no app to ask');
    const invokedAtMs = performance.now();
    const response = await (kind === 'refresh' ? app.refresh(tokenIn) : app.revoke(tokenIn));
    const answeredAtMs = performance.now();
    const { status } = response;
    const isRefreshed = kind === 'refresh' && status === 200;
    const tokenOut = isRefreshed ? tokensOf(response).refreshToken : undefined;
    return { family, kind, tokenIn, tokenOut, status, invokedAtMs, answeredAtMs };
  }
}
