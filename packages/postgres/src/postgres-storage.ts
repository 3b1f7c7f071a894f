import type { Clock } from '@latchhook/core';
import {
  assertNames,
  boundedInteger,
  CallDeadline,
  type NamesOf,
  ofOneStore,
  type Storage,
} from '@latchhook/core/storage';
import { type PostgresConnection, toDatabase } from './database/to-database.ts';
import { createFunctionCaller } from './function-caller.ts';
import { createUnlessEnrolled } from './functions/sessions/create-session.ts';
import { postgresChallenges } from './postgres-challenges.ts';
import { postgresDeliveries } from './postgres-deliveries.ts';
import { postgresLimiters } from './postgres-limiters.ts';
import { postgresMfa } from './postgres-mfa.ts';
import { postgresPersonalAccessTokens } from './postgres-personal-access-tokens.ts';
import { postgresSessions } from './postgres-sessions.ts';
import { postgresStartup } from './postgres-startup.ts';
import { postgresWebhooks } from './postgres-webhooks.ts';
import { checkedSchemaName, DEFAULT_SCHEMA } from './schema-name.ts';

/** How {@link postgresStorage} uses PostgreSQL. Every option has a default. */
export interface PostgresStorageOptions {
  /** The schema in which {@link migrate} has created tables and functions. Never `public`. Default: `latchhook`. */
  readonly schema?: string;
  /** How long a call waits for PostgreSQL, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /** Replaces the time for everything but limiters, in tests. Default: the clock of the server. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<PostgresStorageOptions> = { schema: true, deadlineMs: true, clock: true };

/**
 * Stores everything in PostgreSQL, or in PGlite. Run {@link migrate} first.
 *
 * Atomicity: every transition is one function in the database, called in one round trip, under READ COMMITTED. That is
 * PostgreSQL's default; any other level is rejected.
 *
 * Concurrency: any number of processes may share one PostgreSQL; time is the time of the server. A PGlite belongs to
 * one process.
 *
 * Expiry: expired rows are ignored, and deleted by later transitions.
 *
 * Security: PostgreSQL holds no token and nothing from which one could be derived, and secrets only encrypted. It does
 * hold user ids, addresses and user agents of logins, and the bodies of webhook messages.
 *
 * A process that sends webhooks holds one connection of the pool, to listen for transactions that have published.
 *
 * @param connection - the host's own `Pool` of `pg`, or its `PGlite`; it is neither changed nor closed.
 * @returns a storage with every part, so that single parts can be combined with those of another storage.
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`, `postgres_schema_invalid`
 * @example
 * ```ts
 * import { createAuth, type UserStore } from '@latchhook/core';
 * import { postgresStorage } from '@latchhook/postgres';
 * import { Pool } from 'pg';
 *
 * declare const users: UserStore;
 * const storage = postgresStorage(new Pool({ connectionString: 'postgres://app@localhost/app' }));
 * const auth = createAuth({ issuer: 'https://api.example.com', users, storage });
 * ```
 */
export function postgresStorage(
  connection: PostgresConnection,
  options: PostgresStorageOptions = {},
): Required<Storage> {
  const database = toDatabase(connection);
  assertNames('postgresStorage', 'options_invalid', options, NAMES);
  const { clock, schema: name = DEFAULT_SCHEMA } = options;
  const schema = checkedSchemaName(name);
  const deadlineMs = boundedInteger('postgresStorage.deadlineMs', options.deadlineMs, 1_000, [1]);
  const newDeadline = () => new CallDeadline('PostgreSQL', deadlineMs);
  const call = createFunctionCaller(database, { schema, newDeadline, clock });
  const startup = postgresStartup({ database, call, schema, newDeadline });
  const sessions = postgresSessions(call, newDeadline);
  const mfa = postgresMfa(call);
  return ofOneStore(
    {
      name: 'postgres',
      startup,
      loginTransition: {
        replaces: { create: sessions.create, find: mfa.find },
        createUnlessEnrolled: (session, limits) =>
          createUnlessEnrolled(call, session, limits, newDeadline()),
      },
    },
    {
      name: 'postgres',
      sessions,
      challenges: postgresChallenges(call, newDeadline),
      // Without `clock`, as its option says.
      limiters: postgresLimiters(createFunctionCaller(database, { schema, newDeadline })),
      personalAccessTokens: postgresPersonalAccessTokens(call),
      mfa,
      webhooks: postgresWebhooks(call),
      deliveries: postgresDeliveries({ database, call, newDeadline, schema, clock }),
    },
  );
}
