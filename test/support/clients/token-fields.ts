import type { HttpResponse } from '../../hosts/send-request.ts';

/** The fields of the success variant. */
export const V1_FIELDS = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'accounts'];
export const V2_FIELDS = [...V1_FIELDS, 'scope', 'refresh_expires_in'];

export function fieldsOf({ body }: HttpResponse): readonly string[] {
  return Object.keys(JSON.parse(body));
}
