import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { TEST_PASSWORD } from '../clients/users.ts';
import { PATIENT_MS } from '../time/patience.ts';

export interface AppResponse {
  readonly status: number;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** From the call to the last byte of the response. */
  readonly tookMs: number;
}

interface RequestFields {
  readonly json?: unknown;
  readonly bearer?: string | undefined;
  /** Closes the connection when it aborts. */
  readonly signal?: AbortSignal;
}

/** A client of an app with Latchhook's routes. Each call is one request, and rejects only if no response came. */
export interface AppClient {
  send(method: string, path: string, asked?: RequestFields): Promise<AppResponse>;
  /** Logs in with the password of all test and demo users; `fields` are added or override. */
  login(username: string, fields?: object, signal?: AbortSignal): Promise<AppResponse>;
  refresh(refreshToken: string): Promise<AppResponse>;
  answerChallenge(challenge: string, code: string): Promise<AppResponse>;
  revoke(token: string): Promise<AppResponse>;
  me(accessToken: string | undefined): Promise<AppResponse>;
  adminReport(accessToken: string): Promise<AppResponse>;
  /** Closes the connections that are kept alive. */
  close(): void;
}

export function connectApp(baseUrl: string): AppClient {
  const agent = new Agent({ keepAlive: true });

  function send(method: string, path: string, asked: RequestFields = {}): Promise<AppResponse> {
    const body = asked.json === undefined ? '' : JSON.stringify(asked.json);
    const startedAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const clientRequest = request(`${baseUrl}${path}`, {
        method,
        agent,
        timeout: PATIENT_MS,
        headers: {
          ...(body === '' ? {} : { 'content-type': 'application/json' }),
          ...(asked.bearer === undefined ? {} : { authorization: `Bearer ${asked.bearer}` }),
        },
        ...(asked.signal === undefined ? {} : { signal: asked.signal }),
      });
      clientRequest.on('error', reject);
      clientRequest.on('timeout', () =>
        clientRequest.destroy(new Error(`no answer within ${PATIENT_MS} ms`)),
      );
      clientRequest.on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        json(response).then((parsed) => {
          const tookMs = performance.now() - startedAtMs;
          resolve({ status, headers, body: parsed as AppResponse['body'], tookMs });
        }, reject);
      });
      clientRequest.end(body);
    });
  }

  return {
    send,
    login: (username, fields = {}, signal) =>
      send('POST', '/token', {
        json: { username, password: TEST_PASSWORD, ...fields },
        ...(signal === undefined ? {} : { signal }),
      }),
    refresh: (refreshToken) =>
      send('POST', '/token', {
        json: { grant_type: 'refresh_token', refresh_token: refreshToken },
      }),
    answerChallenge: (challenge, code) =>
      send('POST', '/token/challenge', { json: { challenge, code } }),
    revoke: (token) => send('POST', '/token/revoke', { json: { token } }),
    me: (accessToken) => send('GET', '/me', { bearer: accessToken }),
    adminReport: (accessToken) => send('GET', '/admin/report', { bearer: accessToken }),
    close: () => agent.destroy(),
  };
}

/** The tokens of a login or refresh. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** @throws {Error} if the response is not a success. */
export function tokensOf({ status, body }: AppResponse): TokenPair {
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  if (status !== 200 || typeof accessToken !== 'string' || typeof refreshToken !== 'string') {
    throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
  }
  return { accessToken, refreshToken };
}
