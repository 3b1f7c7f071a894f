import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import type { Route } from '../../route.ts';
import { deleteTotp } from './delete-totp.ts';
import { createEnrollingUsers, type EnrollingUsersDeps } from './enrolling-users.ts';
import { postRecoveryCodes } from './post-recovery-codes.ts';
import { postTotp } from './post-totp.ts';
import { postTotpConfirm } from './post-totp-confirm.ts';

export interface MfaRoutesDeps extends EnrollingUsersDeps {
  readonly enrolment: FactorEnrolment;
}

export function mfaRoutes({ enrolment, ...deps }: MfaRoutesDeps): readonly Route[] {
  const { enrolling, owning } = createEnrollingUsers(deps);
  return [
    postTotp(enrolment, enrolling),
    postTotpConfirm(enrolment, enrolling),
    deleteTotp(enrolment, owning),
    postRecoveryCodes(enrolment, owning),
  ];
}
