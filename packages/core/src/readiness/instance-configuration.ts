import type { AccountIdKind } from '../account-id.ts';
import { uncheckedFields } from '../unchecked-fields.ts';
import type { ReadinessFinding } from './not-ready-error.ts';

/** The configuration that all processes of an app must have in common. Contains only the ids of secrets and keys. */
export interface InstanceConfiguration {
  readonly issuer: string;
  readonly audience: string;
  readonly accountIds: AccountIdKind;
  readonly signingKeys: readonly string[];
  readonly refreshSecrets: readonly string[];
  /** Empty: `keys.encryption` is not set, and the process has not needed a key yet. */
  readonly encryptionKeys: readonly string[];
  /** Whether the storage of the process keeps second factors. If so, logins require them. */
  readonly storesMfa: boolean;
}

/** The names of the options, for error messages. */
const KEY_OPTIONS = {
  signingKeys: 'keys.signing',
  refreshSecrets: 'keys.refreshSecrets',
  encryptionKeys: 'keys.encryption',
} as const;

/**
 * The differences between this process and the running processes. Lists of keys may differ if they have a key in
 * common: at every step of a rotation, they do.
 */
export function configurationFindings(
  own: InstanceConfiguration,
  others: readonly string[],
): readonly ReadinessFinding[] {
  const configurations = others.map(parse).filter((other) => other !== null);
  const findings = [
    ...configurations.flatMap((other) => textFindings('issuer', own.issuer, other.issuer)),
    ...configurations.flatMap((other) => textFindings('audience', own.audience, other.audience)),
    ...configurations.flatMap((other) =>
      textFindings('accounts.id', own.accountIds, other.accountIds),
    ),
    ...configurations.flatMap((other) => keyFindings(own, other)),
    ...configurations.flatMap((other) => factorFindings(own, other)),
  ];
  // A difference is reported once, even if several processes have it.
  return [...new Map(findings.map((finding) => [finding.message, finding])).values()];
}

const ADVICE =
  'Give all processes on one storage the same, or, if this changes it on purpose, call auth.ready({ acceptDifferences: true }). A process that has ended without auth.close() counts for a minute';

function differenceFinding(code: string, difference: string): ReadinessFinding {
  return { part: 'instances', code, message: `${difference}. ${ADVICE}` };
}

function textFindings(
  option: 'issuer' | 'audience' | 'accounts.id',
  own: string,
  other: unknown,
): readonly ReadinessFinding[] {
  if (own === other) return [];
  return [
    differenceFinding(
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
    const ownIds = own[ring];
    const otherIds = other[ring] ?? [];
    if (ownIds.length === 0 || otherIds.length === 0) return [];
    if (ownIds.some((id) => otherIds.includes(id))) return [];
    const code = `${KEY_OPTIONS[ring].replace('.', '_')}_differ`;
    const difference = `${KEY_OPTIONS[ring]} has no key in common with that of a process that runs: neither reads what the other has made`;
    return [differenceFinding(code, difference)];
  });
}

function factorFindings(
  own: InstanceConfiguration,
  other: Partial<InstanceConfiguration>,
): readonly ReadinessFinding[] {
  if (own.storesMfa === other.storesMfa) return [];
  const [withMfa, withoutMfa] = own.storesMfa ? ['this', 'a running'] : ['a running', 'this'];
  return [
    differenceFinding(
      'storage_parts_differ',
      `the storage of ${withMfa} process has the part mfa, and that of ${withoutMfa} process has not, which lets users with a factor in by the password alone`,
    ),
  ];
}

/** Returns `null` for a text that is not JSON, which another version may have written. */
function parse(text: string): Partial<InstanceConfiguration> | null {
  try {
    return uncheckedFields<InstanceConfiguration>(JSON.parse(text));
  } catch {
    return null;
  }
}
