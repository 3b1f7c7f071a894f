import { setTimeout as elapsed } from 'node:timers/promises';
import type { Pool } from 'pg';
import { expect } from 'vitest';
import { connect } from '../../postgres/open-schema.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';
import type { OutboxFigures } from './outbox-figures.ts';
import { type OutboxPlace, openOutboxFixture } from './outbox-fixture.ts';

const WORKERS = 2;
const UP_MS = { from: 300, to: 1_500 };
const DOWN_MS = 200;
const BACK_WITHIN_MS = 30_000;

export interface CrashedPostgresFigures extends OutboxFigures {
  readonly serverKills: number;
  readonly backendKills: number;
  /** From the end of the last outage until every event had arrived and was logged. */
  readonly secondsToRecover: number;
}

/**
 * Kills PostgreSQL repeatedly, while a host publishes in transactions and two workers send: in turn all processes, and
 * a single backend, after which PostgreSQL ends all others and recovers. Host and workers are never restarted.
 *
 * @param random - from 0 to 1, seeded.
 */
export async function crashPostgres(
  server: PostgresServer,
  place: OutboxPlace,
  random: () => number,
): Promise<CrashedPostgresFigures> {
  const fixture = await openOutboxFixture(place);
  const pool = connect(server.url);
  for (let workers = 0; workers < WORKERS; workers += 1) await fixture.startWorker();
  const host = await fixture.startHost();
  let serverKills = 0;
  let backendKills = 0;
  let backMs = performance.now();
  while (fixture.journal.next < fixture.transactions && !host.hasExited()) {
    await elapsed(UP_MS.from + random() * (UP_MS.to - UP_MS.from));
    if (serverKills <= backendKills) {
      await server.kill9();
      await elapsed(DOWN_MS);
      await server.restart();
      serverKills += 1;
    } else {
      await killBackend(pool, random);
      backendKills += 1;
    }
    await expect
      .poll(() => pool.query('SELECT').then(() => 'back', String), { timeout: BACK_WITHIN_MS })
      .toBe('back');
    backMs = performance.now();
  }
  await host.exited();
  const figures = await fixture.figures();
  const secondsToRecover = Math.round((performance.now() - backMs) / 1_000);
  return { ...figures, serverKills, backendKills, secondsToRecover };
}

async function killBackend(pool: Pool, random: () => number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`SELECT pid FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid`);
    const pid: number | undefined = rows[Math.floor(random() * rows.length)]?.pid;
    if (pid !== undefined && kill9(pid)) return;
  }
}

/** Returns whether the process existed. */
function kill9(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
