/** What a candidate keeps its sessions in, by name. Only that one is loaded: what it weighs is measured too. */
export const benchStorages = {
  async memory() {
    const { memoryStorage } = await import('@latchhook/core');
    return memoryStorage();
  },
  async redis() {
    const [{ redisStorage }, { Redis }] = await Promise.all([
      import('@latchhook/redis'),
      import('ioredis'),
    ]);
    return redisStorage(new Redis(process.env.REDIS_URL));
  },
  postgres: () => openPostgres(),
  // A commit is answered before it is on the disk, as Redis answers in every candidate here.
  'postgres-async': () => openPostgres({ options: '-c synchronous_commit=off' }),
};

async function openPostgres(options) {
  const { migrate, postgresStorage } = await import('@latchhook/postgres');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: process.env.PG_URL, ...options });
  await migrate(pool);
  return postgresStorage(pool);
}
