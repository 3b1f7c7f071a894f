import * as v from 'valibot';
import {
  ACCOUNT_ID_TEXT,
  ACCOUNT_ID_TEXT_RULE,
  type AccountId,
  type AccountIdKind,
} from '../account-id.ts';
import { wholeNumber } from './answer-fields.ts';
import { integer } from './basic-fields.ts';
import { describedAs } from './described-as.ts';

/** Schemas of the fields that name accounts. */
export interface AccountIdFields {
  /**
   * For an account to which a token or a session is bound. An integer below 1 passes here: like every account that is
   * not the user's, it is rejected later: as `access_denied`, or as `invalid_request` by the refresh of a session
   * that is bound to another account.
   */
  boundAccount(description: string): v.GenericSchema<AccountId>;
  /** For an account in which a request looks something up. An integer below 1 is an error of this field. */
  searchedAccount(description: string): v.GenericSchema<AccountId>;
  /** For an account in the body of a webhook. */
  published(description: string): v.GenericSchema<AccountId>;
  /** For an account in a response. */
  readonly inResponse: v.GenericSchema<AccountId>;
}

const NOT_TEXT = `must be ${ACCOUNT_ID_TEXT_RULE}`;

const text = v.pipe(v.string(NOT_TEXT), v.regex(ACCOUNT_ID_TEXT, NOT_TEXT));

const describedText = (description: string) => v.pipe(text, v.description(description));

export const ACCOUNT_ID_FIELDS: Readonly<Record<AccountIdKind, AccountIdFields>> = {
  integer: {
    boundAccount: (description) =>
      v.pipe(integer, v.description(description), describedAs({ minimum: 1 })),
    searchedAccount: (description) =>
      v.pipe(integer, v.minValue(1, 'must be at least 1'), v.description(description)),
    published: (description) => v.pipe(wholeNumber, v.minValue(1), v.description(description)),
    inResponse: wholeNumber,
  },
  string: {
    boundAccount: describedText,
    searchedAccount: describedText,
    published: describedText,
    inResponse: text,
  },
};

/** Makes schemas that contain ids of accounts, for either kind of id. */
export function byAccountIdKind<Schemas>(
  make: (fields: AccountIdFields) => Schemas,
): Readonly<Record<AccountIdKind, Schemas>> {
  return { integer: make(ACCOUNT_ID_FIELDS.integer), string: make(ACCOUNT_ID_FIELDS.string) };
}
