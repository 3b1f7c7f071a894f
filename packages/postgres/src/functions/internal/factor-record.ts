import type { EnrolledFactor } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../define-function.ts';
import type { FunctionResult } from '../../function-result.ts';
import { storedText } from '../../storable-text.ts';

/**
 * `factor_record(p_user_id)`: the factor of a user with the number of unused recovery codes, in one consistent view;
 * null if there is none.
 */
export const factorRecord: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.factor_record(p_user_id text)
RETURNS json LANGUAGE sql STABLE
AS $function$
  SELECT json_build_object(
    'encryptedSecret', encrypted_secret, 'enrolmentId', enrolment_id, 'confirmedAtMs', confirmed_at_ms,
    'recoveryCodesLeft', (SELECT count(*) FROM recovery_codes c WHERE c.user_id = p_user_id))
  FROM factors WHERE user_id = p_user_id
$function$`,
};

/** Reads the result of `factor_record`. */
export function readFactor(record: FunctionResult): EnrolledFactor {
  return {
    encryptedSecret: storedText(record.text('encryptedSecret')),
    enrolmentId: record.text('enrolmentId'),
    confirmedAtMs: record.integer('confirmedAtMs'),
    recoveryCodesLeft: record.integer('recoveryCodesLeft'),
  };
}
