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
  /** For what a client may say of any account: that it is not the user's is told later, by its own rejection. */
  asked(description: string): v.GenericSchema<AccountId>;
  /** For an account that something is to be found in. */
  existing(description: string): v.GenericSchema<AccountId>;
  /** The same in a body of ours. */
  published(description: string): v.GenericSchema<AccountId>;
  /** In an answer. */
  readonly answered: v.GenericSchema<AccountId>;
}

const NOT_TEXT = `must be ${ACCOUNT_ID_TEXT_RULE}`;

const text = v.pipe(v.string(NOT_TEXT), v.regex(ACCOUNT_ID_TEXT, NOT_TEXT));

const describedText = (description: string) => v.pipe(text, v.description(description));

export const ACCOUNT_ID_FIELDS: Readonly<Record<AccountIdKind, AccountIdFields>> = {
  integer: {
    asked: (description) =>
      v.pipe(integer, v.description(description), describedAs({ minimum: 1 })),
    existing: (description) =>
      v.pipe(integer, v.minValue(1, 'must be at least 1'), v.description(description)),
    published: (description) => v.pipe(wholeNumber, v.minValue(1), v.description(description)),
    answered: wholeNumber,
  },
  string: {
    asked: describedText,
    existing: describedText,
    published: describedText,
    answered: text,
  },
};

/** Makes the schemas of something in which accounts are named, for either kind of ids. */
export function byAccountIdKind<Schemas>(
  make: (fields: AccountIdFields) => Schemas,
): Readonly<Record<AccountIdKind, Schemas>> {
  return { integer: make(ACCOUNT_ID_FIELDS.integer), string: make(ACCOUNT_ID_FIELDS.string) };
}
