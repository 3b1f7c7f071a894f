import type { UserDirectory } from '@latchhook/core';
import type { TestUsers } from '../clients/users.ts';

/** Wraps a users table; it can be switched to fail instead, or to find nobody. */
export interface DirectorySwitch {
  mode: 'up' | 'down' | 'empty';
  /** The ids of users that were looked up since the switch was made. */
  readonly asked: string[];
  wrap(users: TestUsers): UserDirectory;
}

export function directorySwitch(): DirectorySwitch {
  const self: DirectorySwitch = {
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
