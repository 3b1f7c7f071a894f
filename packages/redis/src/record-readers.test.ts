import { expect, it } from 'vitest';
import { parseTokenRecord, TOKEN } from './personal-access-token-record.ts';
import { ScriptReply } from './script-reply.ts';
import { parseSessionRecord, SESSION } from './session-record.ts';
import { parseWebhookRecord, WEBHOOK } from './webhook-record.ts';

const REF = { accountId: 7, webhookId: 'wh_1' };

/** A reply that throws if a value is read without moving to its field by `at`. */
class RecordReply extends ScriptReply {
  #isAtField = false;

  constructor(at: Readonly<Record<string, number>>, values: Readonly<Record<string, unknown>>) {
    super('test', listOf(at, values), 0);
  }

  override at(position: number): this {
    this.#isAtField = true;
    return super.at(position);
  }

  override text(): string {
    this.#leaveField();
    return super.text();
  }

  override integer(): number {
    this.#leaveField();
    return super.integer();
  }

  override outcome<const Outcome extends string>(outcomes: readonly Outcome[]): Outcome {
    this.#leaveField();
    return super.outcome(outcomes);
  }

  override list(): ScriptReply {
    this.#leaveField();
    return super.list();
  }

  #leaveField(): void {
    if (!this.#isAtField) throw new Error('A value was read without its position.');
    this.#isAtField = false;
  }
}

function listOf(
  at: Readonly<Record<string, number>>,
  values: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const list: unknown[] = [];
  for (const [field, position] of Object.entries(at)) list[position - 1] = values[field];
  return list;
}

it('parseSessionRecord reads each field by its name', () => {
  const grant = { userId: 'ada', sessionId: 's1', accountId: 7 };
  const times = { createdAtMs: 1, expiresAtMs: 2, rotatedAtMs: 3 };
  const values = { grant: JSON.stringify(grant), ...times, generation: 4 };
  expect(parseSessionRecord(new RecordReply(SESSION.at, values))).toMatchObject({
    ...grant,
    ...times,
    generation: 4,
  });
});

it.each([
  ['an unused token', null],
  ['a used token', 4],
])('parseTokenRecord reads each field of %s by its name', (_, lastUsedAtMs) => {
  const grant = { name: 'deploy', prefix: 'lh', scopes: [], accountId: 7 };
  const record = { userId: 'ada', tokenId: 't1', sequence: 1, createdAtMs: 2, expiresAtMs: 3 };
  const values = { ...record, grant: JSON.stringify(grant), lastUsedAtMs };
  const token = parseTokenRecord(new RecordReply(TOKEN.at, values));
  expect(token).toEqual({ ...record, ...grant, lastUsedAtMs });
});

it.each([
  ['an enabled webhook', null, null],
  ['a disabled webhook', 7, 'gone'],
])('parseWebhookRecord reads each field of %s by its name', (_, disabledAtMs, disabledReason) => {
  const secrets = [{ encrypted: 'x', retiresAtMs: null }];
  const record = {
    event: 'Contact.Added',
    url: 'https://receiver.example/hooks',
    rateLimit: 3,
    rateLimitPeriod: 'minute',
    sequence: 4,
    createdAtMs: 5,
    updatedAtMs: 6,
    disabledAtMs,
    disabledReason,
  };
  const values = { ...record, webhook: '7/wh_1', secrets: JSON.stringify(secrets) };
  const webhook = parseWebhookRecord(new RecordReply(WEBHOOK.at, values), 0);
  expect(webhook).toEqual({ ...REF, ...record, secrets });
});
