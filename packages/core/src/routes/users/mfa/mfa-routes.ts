import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import type { Route } from '../../route.ts';
import { deleteTotp } from './delete-totp.ts';
import { createEnrollingUsers, type EnrollingUserServices } from './enrolling-users.ts';
import { postRecoveryCodes } from './post-recovery-codes.ts';
import { postTotp } from './post-totp.ts';
import { postTotpConfirm } from './post-totp-confirm.ts';

/** What the routes of factors need. */
export interface MfaServices extends EnrollingUserServices {
  readonly enrolment: FactorEnrolment;
}

export function mfaRoutes({ enrolment, ...services }: MfaServices): readonly Route[] {
  const { enrolling, owning } = createEnrollingUsers(services);
  return [
    postTotp(enrolment, enrolling),
    postTotpConfirm(enrolment, enrolling),
    deleteTotp(enrolment, owning),
    postRecoveryCodes(enrolment, owning),
  ];
}
