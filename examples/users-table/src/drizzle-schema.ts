import { relations, sql } from 'drizzle-orm';
import { boolean, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const users = pgTable('users', {
  id: text().primaryKey(),
  email: text().notNull(),
  loginName: text('login_name').notNull().unique().generatedAlwaysAs(sql`lower(email COLLATE "C")`),
  passwordHash: text('password_hash'),
  passwordChangedAt: timestamp('password_changed_at', { withTimezone: true }),
  disabled: boolean().notNull().default(false),
  scopes: text().array().notNull().default(['user']),
  totpSecret: text('totp_secret'),
});

const memberships = pgTable(
  'memberships',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    accountId: integer('account_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.accountId] })],
);

const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

const usersRelations = relations(users, ({ many }) => ({ memberships: many(memberships) }));

const membershipsRelations = relations(memberships, ({ one }) => ({
  user: one(users, { fields: [memberships.userId], references: [users.id] }),
}));

/** The tables of `schema.sql`, for Drizzle: `drizzle({ client, schema: drizzleSchema })`. */
export const drizzleSchema = {
  users,
  memberships,
  recoveryCodes,
  usersRelations,
  membershipsRelations,
};
