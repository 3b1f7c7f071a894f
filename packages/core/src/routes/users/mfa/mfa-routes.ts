import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import type { Route } from '../../route.ts';
import { deleteTotp } from './delete-totp.ts';
import { postRecoveryCodes } from './post-recovery-codes.ts';
import { postTotp } from './post-totp.ts';
import { postTotpConfirm } from './post-totp-confirm.ts';

export function mfaRoutes(enrolment: FactorEnrolment): readonly Route[] {
  return [
    postTotp(enrolment),
    postTotpConfirm(enrolment),
    deleteTotp(enrolment),
    postRecoveryCodes(enrolment),
  ];
}
