export { migrate } from './migrate.ts';
export type { MysqlConnection, MysqlPool, MysqlQuery } from './mysql-pool.ts';
export { type MysqlStorageOptions, mysqlStorage } from './mysql-storage.ts';
