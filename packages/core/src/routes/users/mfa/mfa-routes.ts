import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import type { Route } from '../../route.ts';
import { deleteTotp } from './delete-totp.ts';
import { createFactorChangeGuards, type FactorChangeGuardsDeps } from './factor-change-guards.ts';
import { postRecoveryCodes } from './post-recovery-codes.ts';
import { postTotp } from './post-totp.ts';
import { postTotpConfirm } from './post-totp-confirm.ts';

export interface MfaRoutesDeps extends FactorChangeGuardsDeps {
  readonly enrolment: FactorEnrolment;
}

export function mfaRoutes({ enrolment, ...deps }: MfaRoutesDeps): readonly Route[] {
  const guards = createFactorChangeGuards(deps);
  return [
    postTotp(enrolment, guards),
    postTotpConfirm(enrolment, guards),
    deleteTotp(enrolment, guards),
    postRecoveryCodes(enrolment, guards),
  ];
}
