import { setTimeout as elapsed } from 'node:timers/promises';
import { type AppClient, tokensOf } from '../../support/apps/app-client.ts';

/** A client refreshes in a tight loop at one app, while another app ends the session. */
export interface RevocationRace {
  readonly refreshes: AppClient;
  login(): Promise<string>;
  /** Ends the session; resolves at the acknowledgement. */
  end(refreshToken: string): Promise<void>;
}

export interface RaceFigures {
  readonly races: number;
  readonly refreshedBefore: number;
  readonly rejectedAfter: number;
  /** Refreshes that were sent after the acknowledgement and succeeded. There must be none. */
  readonly refreshedAfter: number;
}

interface Attempt {
  readonly sentAtMs: number;
  readonly succeeded: boolean;
}

const PARALLEL_REFRESHES = 3;
const LATEST_END_MS = 12;
const WATCH_MS = 15;

export async function raceRevocation(
  { refreshes, login, end }: RevocationRace,
  races: number,
  random: () => number,
): Promise<RaceFigures> {
  const figures = { races, refreshedBefore: 0, rejectedAfter: 0, refreshedAfter: 0 };
  for (let race = 0; race < races; race += 1) {
    const first = await login();
    let newest = first;
    const attempts: Attempt[] = [];
    let isOver = false;
    const clients = Array.from({ length: PARALLEL_REFRESHES }, async () => {
      while (!isOver) {
        const sentAtMs = performance.now();
        const response = await refreshes.refresh(newest);
        const succeeded = response.status === 200;
        if (succeeded) newest = tokensOf(response).refreshToken;
        attempts.push({ sentAtMs, succeeded });
      }
    });
    await elapsed(random() * LATEST_END_MS);
    await end(newest);
    const endedAtMs = performance.now();
    await elapsed(WATCH_MS);
    isOver = true;
    await Promise.all(clients);

    for (const { sentAtMs, succeeded } of attempts) {
      if (sentAtMs <= endedAtMs) figures.refreshedBefore += Number(succeeded);
      else if (succeeded) figures.refreshedAfter += 1;
      else figures.rejectedAfter += 1;
    }
  }
  return figures;
}
