import type { UserStore } from '@latchhook/core';
import type { Pool } from 'pg';
import { loginNameOf } from './login-name-of.ts';
import { recoveryCodeHash } from './recovery-code-hash.ts';
import { type UserRow, userOfRow } from './user-of-row.ts';

const SELECT = `
  SELECT id, email, password_hash, password_changed_at, disabled, scopes, totp_secret,
    ARRAY(SELECT account_id FROM memberships WHERE user_id = users.id ORDER BY account_id) AS accounts
  FROM users`;

/** A user store on the tables of `schema.sql`, in plain SQL. */
export function pgUsers(pool: Pool): UserStore {
  return {
    async findByUsername(username) {
      const values = [loginNameOf(username)];
      const { rows } = await pool.query<UserRow>(`${SELECT} WHERE login_name = $1`, values);
      return rows[0] ? userOfRow(rows[0]) : null;
    },

    async findById(userId) {
      const { rows } = await pool.query<UserRow>(`${SELECT} WHERE id = $1`, [userId]);
      return rows[0] ? userOfRow(rows[0]) : null;
    },

    async replacePasswordHash(userId, { expected, replacement }) {
      const { rowCount } = await pool.query(
        'UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2',
        [userId, expected, replacement],
      );
      return rowCount === 1;
    },

    async consumeRecoveryCode(userId, code) {
      const { rowCount } = await pool.query(
        'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2',
        [userId, recoveryCodeHash(userId, code)],
      );
      return rowCount === 1;
    },
  };
}
