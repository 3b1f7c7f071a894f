import type { UserStore } from '@latchhook/core';
import type { TestUsers } from '../clients/users.ts';

/** Wraps a user store, and can make it fail or find nobody. */
export interface UserStoreSwitch {
  mode: 'up' | 'down' | 'empty';
  /** The ids of users that were looked up so far. */
  readonly asked: string[];
  wrap(users: TestUsers): UserStore;
}

export function userStoreSwitch(): UserStoreSwitch {
  const self: UserStoreSwitch = {
    mode: 'up',
    asked: [],
    wrap: (users) => ({
      ...users,
      async findById(userId) {
        self.asked.push(userId);
        if (self.mode === 'down') throw new Error('no database');
        return self.mode === 'empty' ? null : users.findById(userId);
      },
    }),
  };
  return self;
}
