import { certifyUsers, type UserHarness } from '@latchhook/testkit';
import { afterAll, describe, inject, it } from 'vitest';
import { createUsersTables, LIBRARIES, type Library, type UsersTables } from './users-tables.ts';

const url = inject('postgresUrl');

describe.skipIf(url === null).each(Object.entries(LIBRARIES))(
  'the user store by %s',
  (_name, connect) => {
    // Opened once: the tables are emptied for each case.
    let opened: Promise<{ tables: UsersTables; library: Library }> | undefined;
    const open = async () => {
      const tables = await createUsersTables(url ?? '');
      return { tables, library: connect(url ?? '', tables.schema) };
    };
    afterAll(async () => {
      const { tables, library } = (await opened) ?? {};
      await library?.close();
      await tables?.drop();
    });

    const harness: UserHarness = {
      writes: ['replacePasswordHash', 'consumeRecoveryCode'],
      open: async () => {
        opened ??= open();
        const { tables, library } = await opened;
        return { ...tables, userStore: library.userStore, close: () => tables.empty() };
      },
    };

    certifyUsers({ describe, it }, harness);
  },
);
