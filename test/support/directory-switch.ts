import type { UserDirectory } from '@latchhook/core';
import type { TestUsers } from './users.ts';

/** Stands before a users table, and can be told to fail in its place, or to have lost everybody. */
export interface DirectorySwitch {
  mode: 'up' | 'down' | 'empty';
  /** Whom it was asked about by id since the switch was made. */
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
