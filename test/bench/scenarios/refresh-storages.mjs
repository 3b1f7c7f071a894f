import { userNumber } from '../harness/identity.mjs';
import { throughput } from '../harness/throughput.mjs';
import { refresh, refreshRequests } from './refresh.mjs';

/** The same refresh on each storage. Each session is of another user, because some storages lock a user. */
export const refreshStorages = {
  connections: [1, 16],
  postgres: true,
  mysql: true,
  servers: [
    'latchhook express',
    'latchhook express, memory',
    'latchhook express, postgres',
    'latchhook express, postgres async',
    'latchhook express, mysql',
  ],
  environment: refresh.environment,
  request: (server, { connections }) => refreshRequests(server, connections, userNumber),
  comparisons: [
    { server: 'latchhook express, memory', of: 'latchhook express' },
    { server: 'latchhook express, postgres', of: 'latchhook express' },
    { server: 'latchhook express, postgres async', of: 'latchhook express' },
    { server: 'latchhook express, mysql', of: 'latchhook express, postgres', atLeast: 0.7 },
  ],
  run: (options) => throughput(refreshStorages, options),
};
