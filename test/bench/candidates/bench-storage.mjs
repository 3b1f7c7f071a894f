/** The storages of candidates, by name. Only the one in use is loaded, because its weight is measured too. */
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
  // Commits are answered before they are on the disk, as Redis does in every candidate here.
  'postgres-async': () => openPostgres({ options: '-c synchronous_commit=off' }),
  async mysql() {
    const [{ migrate, mysqlStorage }, { createPool }] = await Promise.all([
      import('@latchhook/mysql'),
      import('mysql2/promise'),
    ]);
    const pool = createPool({ uri: process.env.MYSQL_URL, trace: false });
    await migrate(pool);
    return mysqlStorage({ pool });
  },
};

async function openPostgres(options) {
  const { migrate, postgresStorage } = await import('@latchhook/postgres');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: process.env.PG_URL, ...options });
  await migrate(pool);
  return postgresStorage(pool);
}
