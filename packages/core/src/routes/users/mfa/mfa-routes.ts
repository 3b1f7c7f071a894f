import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { UserDirectory } from '../../../users.ts';
import type { Route } from '../../route.ts';
import { deleteTotp } from './delete-totp.ts';
import { createEnrollingUser } from './enrolling-user.ts';
import { postRecoveryCodes } from './post-recovery-codes.ts';
import { postTotp } from './post-totp.ts';
import { postTotpConfirm } from './post-totp-confirm.ts';

/** What the routes of factors work on. */
export interface MfaServices {
  readonly enrolment: FactorEnrolment;
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly clock: Clock;
}

export function mfaRoutes({ enrolment, users, clock }: MfaServices): readonly Route[] {
  const enrollingUser = createEnrollingUser(users, clock);
  return [
    postTotp(enrolment, enrollingUser),
    postTotpConfirm(enrolment, enrollingUser),
    deleteTotp(enrolment, enrollingUser),
    postRecoveryCodes(enrolment, enrollingUser),
  ];
}
