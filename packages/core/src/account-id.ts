/** Names an account of the host: an integer or a text, by the option `accounts.id`. */
export type AccountId = number | string;

/** The ids of each kind. */
export interface AccountIds {
  readonly integer: number;
  readonly string: string;
}

/** The values of the option `accounts.id`. */
export type AccountIdKind = keyof AccountIds;

/** Visible ASCII only: no spaces, control characters or lookalikes of other scripts in claims, queries and logs. */
export const ACCOUNT_ID_TEXT = /^[!-~]{1,64}$/;
export const ACCOUNT_ID_TEXT_RULE = 'a string of 1 to 64 visible ASCII characters';

/** Whether a value is an account id of this kind. An integer below 1 is an id too, though it can have no webhooks. */
export const IS_ACCOUNT_ID: Readonly<Record<AccountIdKind, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  string: (value) => typeof value === 'string' && ACCOUNT_ID_TEXT.test(value),
};

export function isAccountId(kind: AccountIdKind, value: unknown): value is AccountId {
  return IS_ACCOUNT_ID[kind](value);
}

/** Routes accept only integers from 1 as an account id, so webhooks of any other integer could not be read. */
export function canHaveWebhooks(accountId: AccountId): boolean {
  return typeof accountId === 'string' || accountId >= 1;
}
