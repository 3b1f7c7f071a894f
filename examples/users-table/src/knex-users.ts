import type { UserStore } from '@latchhook/core';
import type { Knex } from 'knex';
import { loginNameOf } from './login-name-of.ts';
import { recoveryCodeHash } from './recovery-code-hash.ts';
import { type UserRow, userOfRow } from './user-of-row.ts';

/** A user store on the tables of `schema.sql`, by Knex over `pg`. */
export function knexUsers(knex: Knex): UserStore {
  const accounts = knex('memberships')
    .select('account_id')
    .where('user_id', knex.ref('users.id'))
    .orderBy('account_id');

  async function find(where: { readonly id: string } | { readonly login_name: string }) {
    const row = await knex('users')
      .first<UserRow | undefined>('users.*', knex.raw('ARRAY(?) AS accounts', [accounts]))
      .where(where);
    return row === undefined ? null : userOfRow(row);
  }

  return {
    findByUsername: (username) => find({ login_name: loginNameOf(username) }),

    findById: (userId) => find({ id: userId }),

    async replacePasswordHash(userId, { expected, replacement }) {
      const count = await knex('users')
        .where({ id: userId, password_hash: expected })
        .update({ password_hash: replacement });
      return count === 1;
    },

    async consumeRecoveryCode(userId, code) {
      const count = await knex('recovery_codes')
        .where({ user_id: userId, code_hash: recoveryCodeHash(userId, code) })
        .delete();
      return count === 1;
    },
  };
}
