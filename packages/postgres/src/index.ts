export type { PgClient, PgPool } from './database/pg-database.ts';
export type { PgliteConnection, PgliteTransaction } from './database/pglite-database.ts';
export type { PostgresConnection } from './database/to-database.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { type MigrationOptions, migrationSql } from './migration-sql.ts';
export { type PostgresStorageOptions, postgresStorage } from './postgres-storage.ts';
