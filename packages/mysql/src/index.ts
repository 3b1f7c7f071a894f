export { migrate } from './migrate.ts';
export { type MysqlStorageOptions, mysqlEngine } from './mysql-engine.ts';
export type { MysqlConnection, MysqlPool, MysqlQuery } from './mysql-pool.ts';
export { mysqlStorage } from './mysql-storage.ts';
