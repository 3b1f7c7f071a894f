import * as v from 'valibot';
import { byAccountIdKind } from '../../../schema/account-id-fields.ts';
import { time } from '../../../schema/answer-fields.ts';
import { pageQuery } from '../../../schema/list-page.ts';
import { named } from '../../../schema/named.ts';

/*
 * The only definition of requests and responses of sessions. Every message is constant.
 */

export const sessionPageQuery = v.object(pageQuery);

export const endSessionsQuery = v.object({
  except: v.optional(
    v.pipe(
      v.literal('current', 'must be current'),
      v.description('Keeps the session of the access token.'),
    ),
  ),
});

export const sessionAnswers = byAccountIdKind((ids) =>
  named(
    'Session',
    v.strictObject({
      object: v.literal('Session'),
      id: v.string(),
      created_at: time,
      last_used_at: v.pipe(
        time,
        v.description('When the session was last refreshed, or else created_at.'),
      ),
      expires_at: v.pipe(time, v.description('When the session ends unless it is refreshed.')),
      address: v.pipe(
        v.nullable(v.string()),
        v.description(
          'IP address of the client at login, or unknown; null if the host reported none.',
        ),
      ),
      user_agent: v.pipe(
        v.nullable(v.string()),
        v.description('The User-Agent of the client at login.'),
      ),
      amr: v.pipe(v.array(v.string()), v.readonly()),
      account_id: v.nullable(ids.inResponse),
      current: v.pipe(
        v.boolean(),
        v.description('Whether this is the session of the access token.'),
      ),
    }),
  ),
);

export type SessionAnswer = (typeof sessionAnswers)['integer'];
