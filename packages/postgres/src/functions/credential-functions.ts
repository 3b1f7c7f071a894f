import type { SqlDefinition } from '../define-function.ts';
import { factorRecord } from './internal/factor-record.ts';
import { giveRecoveryCodes } from './internal/give-recovery-codes.ts';
import { tokenRecord } from './internal/token-record.ts';
import { beginEnrolmentFunction } from './mfa/begin-enrolment.ts';
import { confirmEnrolmentFunction } from './mfa/confirm-enrolment.ts';
import { consumeRecoveryCodeFunction } from './mfa/consume-recovery-code.ts';
import { findFactorFunction } from './mfa/find-factor.ts';
import { findPendingEnrolmentFunction } from './mfa/find-pending-enrolment.ts';
import { listEncryptedFactorsFunction } from './mfa/list-encrypted-factors.ts';
import { removeEnrolledFactorFunction } from './mfa/remove-enrolled-factor.ts';
import { removeFactorFunction } from './mfa/remove-factor.ts';
import { replaceEncryptedFactorFunction } from './mfa/replace-encrypted-factor.ts';
import { replaceRecoveryCodesFunction } from './mfa/replace-recovery-codes.ts';
import { createTokenFunction } from './personal-access-tokens/create-token.ts';
import { listTokensFunction } from './personal-access-tokens/list-tokens.ts';
import { revokeAllTokensFunction } from './personal-access-tokens/revoke-all-tokens.ts';
import { revokeTokenFunction } from './personal-access-tokens/revoke-token.ts';
import { revokeTokenByHashFunction } from './personal-access-tokens/revoke-token-by-hash.ts';
import { useTokenFunction } from './personal-access-tokens/use-token.ts';

/** The functions of personal access tokens and second factors. */
export const CREDENTIAL_FUNCTIONS: readonly SqlDefinition[] = [
  tokenRecord,
  createTokenFunction,
  useTokenFunction,
  listTokensFunction,
  revokeTokenFunction,
  revokeTokenByHashFunction,
  revokeAllTokensFunction,
  factorRecord,
  giveRecoveryCodes,
  beginEnrolmentFunction,
  findPendingEnrolmentFunction,
  confirmEnrolmentFunction,
  findFactorFunction,
  removeFactorFunction,
  removeEnrolledFactorFunction,
  replaceRecoveryCodesFunction,
  consumeRecoveryCodeFunction,
  listEncryptedFactorsFunction,
  replaceEncryptedFactorFunction,
];
