import { publicCacheControl } from '../http/json-response.ts';
import type { HeaderTexts, Route } from './route.ts';

/** Headers that are the same in many responses. */
const SHARED = {
  'Cache-Control': {
    description: 'No cache may store the response.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'Retry-After': {
    description: 'The seconds to wait before the next try.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description:
      'Why the bearer token was rejected (RFC 6750 3); without an error if there is none.',
    required: true,
    schema: { type: 'string' },
  },
  Allow: {
    description: 'The methods of the path.',
    required: true,
    schema: { type: 'string' },
  },
} as const;

type SharedHeader = keyof typeof SHARED;

/** The value of `components.headers`: every description refers to all of these headers. */
export const SHARED_HEADERS: Readonly<Record<string, object>> = SHARED;

/** For a 403 on a route that accepts cookies too: the header is sent only if the request has a bearer token. */
const OPTIONAL_CHALLENGE = {
  'WWW-Authenticate': { ...SHARED['WWW-Authenticate'], required: false },
};

/** The header that a response of a status has on any route. */
const HEADER_OF_STATUS: Readonly<Record<number, SharedHeader>> = {
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
};

/**
 * The headers of a route's responses of one status, as far as clients may rely on them.
 *
 * @param byCookie - whether cookies may replace a bearer token
 */
export function describeHeaders(
  route: Route,
  status: number,
  { byCookie = false }: { readonly byCookie?: boolean } = {},
): object {
  const { auth, answers, answerHeaderTexts = {} } = route;
  const { maxAgeSeconds, headers = {} } = answers[status] ?? {};
  const statusHeader = HEADER_OF_STATUS[status];
  // A login needs no bearer token, so its 401 has no `WWW-Authenticate` (RFC 6750 3).
  const challenges = auth !== undefined && (status === 401 || status === 403);
  const challenge =
    status === 403 && byCookie ? OPTIONAL_CHALLENGE : sharedHeader('WWW-Authenticate');
  return {
    ...(maxAgeSeconds === undefined
      ? sharedHeader('Cache-Control')
      : publicCacheHeader(maxAgeSeconds)),
    ...(statusHeader === undefined ? {} : sharedHeader(statusHeader)),
    ...(challenges ? challenge : {}),
    // A wrong method reaches no route, so its 405 has none of a route's headers.
    ...requiredHeaders(status === 405 ? {} : answerHeaderTexts),
    ...requiredHeaders(headers),
  };
}

function sharedHeader(name: SharedHeader): object {
  return { [name]: { $ref: `#/components/headers/${name}` } };
}

function publicCacheHeader(maxAgeSeconds: number): object {
  return {
    'Cache-Control': {
      description: 'How long caches may keep the response.',
      required: true,
      schema: { type: 'string', const: publicCacheControl(maxAgeSeconds) },
    },
  };
}

function requiredHeaders(texts: HeaderTexts): object {
  return Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: 'string' } },
    ]),
  );
}
