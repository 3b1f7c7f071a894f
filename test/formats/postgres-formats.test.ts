import { postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPglite, pgliteDatabase } from '../support/servers/shared-database.ts';
import { newMessage } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { everyTransitionOf } from './every-transition-of.ts';
import { expectListed } from './expect-listed.ts';
import { watchSchema } from './schema-forms.ts';

const INTRODUCTION = `
What is in PostgreSQL

Each table with its columns, their types and the forms of their values: \`<n>\` is a number, other words in angle brackets
are ids, \`{a, b}\` is JSON with these names, and \`|\` separates what was seen of a column. Then each function that
processes call, with its parameters, which are passed by name, and the words in all that its answer is made by: outcomes,
names of members of JSON, states. Then the helpers of these functions: they are replaced together with them, but
PostgreSQL declines to replace one whose parameters have other names, or whose result has another type; a migration drops
it first. A test writes this list, by \`-u\`, and compares it with the catalog after \`migrate\` and with what transitions
leave: see docs/guides/upgrading.md.
`;

describe('the tables and functions in PostgreSQL', () => {
  it('match the recorded formats', async () => {
    await openPglite();
    const { connection, schemas } = pgliteDatabase();
    const schema = await schemas.take();
    onTestFinished(() => schemas.giveBack(schema));
    const clock = turnableClock();
    const storage = postgresStorage(connection, { schema, clock, deadlineMs: PATIENT_MS });
    const forms = watchSchema(connection, schema);
    await everyTransitionOf(storage, clock, () => forms.look());
    const published = await storage.deliveries.outbox?.publishWithin(connection, newMessage('m99'));
    expect(published).toMatchObject({ outcome: 'published' });
    await forms.look();
    await expectListed('postgresql.txt', INTRODUCTION, await forms.list());
  });
});
