import type { AccountIdKind } from '../account-id.ts';
import type { ReadinessFinding } from './not-ready-error.ts';

/** What all processes of an app must agree on. Of secrets and keys it has only the ids. */
export interface InstanceConfiguration {
  readonly issuer: string;
  readonly audience: string;
  readonly accountIds: AccountIdKind;
  readonly signingKeys: readonly string[];
  readonly refreshSecrets: readonly string[];
  /** Empty: the process was given none, and needs none yet. */
  readonly encryptionKeys: readonly string[];
  /** Whether the storage of the process keeps second factors, which logins then require. */
  readonly storesMfa: boolean;
}

/** The names of the options, for messages. */
const RINGS = {
  signingKeys: 'keys.signing',
  refreshSecrets: 'keys.refreshSecrets',
  encryptionKeys: 'keys.encryption',
} as const;

/**
 * The differences between this process and those that run. Lists of keys agree if they have one key in common, as they
 * have at every step of a rotation.
 */
export function configurationFindings(
  own: InstanceConfiguration,
  others: readonly string[],
): readonly ReadinessFinding[] {
  const known = others.map(parsed).filter((other) => other !== null);
  return [
    ...known.flatMap((other) => textFindings('issuer', own.issuer, other.issuer)),
    ...known.flatMap((other) => textFindings('audience', own.audience, other.audience)),
    ...known.flatMap((other) => textFindings('accounts.id', own.accountIds, other.accountIds)),
    ...known.flatMap((other) => keyFindings(own, other)),
    ...known.flatMap((other) => factorFindings(own, other)),
  ].filter(({ message }, i, all) => all.findIndex((each) => each.message === message) === i);
}

const ADVICE =
  'Give all processes on one storage the same, or, if this changes it on purpose, call auth.ready({ acceptDifferences: true }). A process that has ended without auth.close() counts for a minute';

function differs(code: string, what: string): ReadinessFinding {
  return { part: 'instances', code, message: `${what}. ${ADVICE}` };
}

function textFindings(
  option: 'issuer' | 'audience' | 'accounts.id',
  own: string,
  other: unknown,
): readonly ReadinessFinding[] {
  if (own === other) return [];
  return [
    differs(
      `${option.replace('.', '_')}_differs`,
      `${option} is ${JSON.stringify(own)} here and ${JSON.stringify(other)} in a process that runs: neither takes the tokens of the other`,
    ),
  ];
}

function keyFindings(
  own: InstanceConfiguration,
  other: Partial<InstanceConfiguration>,
): readonly ReadinessFinding[] {
  return (['signingKeys', 'refreshSecrets', 'encryptionKeys'] as const).flatMap((ring) => {
    const theirs = other[ring] ?? [];
    const isApart = own[ring].length > 0 && theirs.length > 0;
    if (!isApart || own[ring].some((id) => theirs.includes(id))) return [];
    const code = `${RINGS[ring].replace('.', '_')}_differ`;
    const what = `${RINGS[ring]} has no key in common with that of a process that runs: neither reads what the other has made`;
    return [differs(code, what)];
  });
}

function factorFindings(
  own: InstanceConfiguration,
  other: Partial<InstanceConfiguration>,
): readonly ReadinessFinding[] {
  if (own.storesMfa === other.storesMfa) return [];
  const [asks, lets] = own.storesMfa ? ['this', 'a running'] : ['a running', 'this'];
  return [
    differs(
      'storage_parts_differ',
      `the storage of ${asks} process has the part mfa, and that of ${lets} process has not, which lets users with a factor in by the password alone`,
    ),
  ];
}

/** `null` for text that another version may have written. */
function parsed(text: string): Partial<InstanceConfiguration> | null {
  try {
    return Object(JSON.parse(text)) as Partial<InstanceConfiguration>;
  } catch {
    return null;
  }
}
