import * as v from 'valibot';
import { named } from '../../../schema/named.ts';
import { typedCode } from '../../../schema/typed-code.ts';

/*
 * The only definition of requests and responses of second factors. Every message is constant.
 */

export const confirmFields = named(
  'TotpConfirmation',
  v.strictObject({
    code: v.pipe(
      typedCode('must be six digits'),
      v.description('The six digits that the authenticator app shows.'),
    ),
  }),
);

export const enrolmentAnswer = named(
  'TotpEnrolment',
  v.strictObject({
    secret: v.pipe(v.string(), v.description('The shared secret, base32, shown only this once.')),
    otpauth_uri: v.pipe(v.string(), v.description('The same, as authenticator apps read it.')),
    qr_svg: v.pipe(v.string(), v.description('The URI as a QR code: an SVG document.')),
  }),
);

export const recoveryCodesAnswer = named(
  'RecoveryCodes',
  v.strictObject({
    recovery_codes: v.pipe(
      v.array(v.string()),
      v.readonly(),
      v.description('Each replaces a code of the app once. Shown only this once.'),
    ),
  }),
);
