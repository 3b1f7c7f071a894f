import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import {
  type Auth,
  type AuthOptions,
  createAuth,
  type PasswordOptions,
  type TimedSecurityEvent,
  type UserStore,
} from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { type TurnableClock, turnableClock } from '@latchhook/testkit';
import { startHost } from '../../hosts/host.ts';
import { type HttpResponse, type RequestToSend, sendRequest } from '../../hosts/send-request.ts';
import { withRecoveryCodes } from '../clients/recovery-codes.ts';
import { TEST_PASSWORD, type TestUsers, testUsers } from '../clients/users.ts';
import { type CellStorage, openCellStorage, type StorageKind } from '../storage/cell-storage.ts';
import { type AppListenerOptions, createExpressApp, createKoaApp } from './app-listeners.ts';

export type Framework = 'express' | 'koa';

/** The framework and the storage of an app. */
export interface Cell {
  readonly framework: Framework;
  readonly storage: StorageKind;
}

export interface TestAppOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Where the routes are mounted. Default: the root. */
  readonly mountPath?: string;
  /** Whether the app takes the client's address from one trusted proxy. Default: no. */
  readonly behindProxy?: boolean;
  /** Wraps the users of the app. Default: adds Grace's recovery codes. */
  readonly userStore?: (users: TestUsers) => UserStore;
  /** Wraps the storage of the app. Default: nothing. */
  readonly wrapStorage?: (storage: Storage, clock: TurnableClock) => Storage;
  /** An app whose data, clock and keys this app shares, like a second process. */
  readonly sharedWith?: TestApp;
  /** How far the clock of the process is ahead of the clock of the storage. Default: not at all. */
  readonly aheadMs?: number;
  /** Default: a verifier that compares in the clear, which takes no time. `{}` for real hashes. */
  readonly passwords?: PasswordOptions;
  readonly auth?: Partial<Omit<AuthOptions, 'passwords' | 'storage' | 'users' | 'clock'>>;
}

/** An app of a real framework in this process, on a real socket, with a clock that the test turns. */
export interface TestApp {
  readonly cell: Cell;
  readonly url: string;
  readonly port: number;
  readonly auth: Auth;
  readonly users: TestUsers;
  readonly clock: TurnableClock;
  /** The storage of the app. */
  readonly cellStorage: CellStorage;
  /** Every security event so far. */
  readonly events: readonly TimedSecurityEvent[];
  /** Every response of Latchhook so far, in the order of arrival. */
  readonly transcript: readonly HttpResponse[];
  /** `path` is below the mount. */
  send(request: RequestToSend): Promise<HttpResponse>;
  /** Clears the transcript, if the order or number of responses depends on chance. */
  clearTranscript(): void;
  stop(): void;
}

export const ISSUER = 'https://api.example.com';

/** Recovery codes of Grace. */
export const GRACE_RECOVERY_CODES = ['GRAC-EAAA-AAAA-2222', 'GRAC-EBBB-BBBB-3333'] as const;

/** The signing key of all apps of this process, so that their responses can be compared. */
export const signingKey: string = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** The refresh secret of all apps of this process. */
export const refreshSecret: string = randomBytes(32).toString('base64');

/** The encryption key of all apps of this process. */
const encryptionKey = randomBytes(32);

const quickPasswords: PasswordOptions = {
  verifier: async (user, password) => user !== null && password === TEST_PASSWORD,
  limitConcurrency: false,
};

export async function startTestApp(cell: Cell, options: TestAppOptions = {}): Promise<TestApp> {
  const { mountPath = '', behindProxy = false, sharedWith, userStore, aheadMs = 0 } = options;
  const { wrapStorage = (storage) => storage } = options;
  const clock = sharedWith?.clock ?? turnableClock();
  const users = sharedWith?.users ?? (await testUsers());
  const cellStorage = await openCellStorage(cell.storage, {
    clock,
    sharedWith: sharedWith?.cellStorage,
  });
  const events: TimedSecurityEvent[] = [];
  const transcript: HttpResponse[] = [];
  const auth = createAuth({
    issuer: ISSUER,
    environment: 'development',
    keys: { signing: signingKey, refreshSecrets: [refreshSecret], encryption: [encryptionKey] },
    throttle: false,
    onSecurityEvent: (event) => events.push(event),
    ...options.auth,
    passwords: options.passwords ?? quickPasswords,
    users:
      userStore === undefined
        ? withRecoveryCodes(users, { grace: GRACE_RECOVERY_CODES })
        : userStore(users),
    storage: wrapStorage(cellStorage.storage, clock),
    clock: { nowMs: () => clock.nowMs() + aheadMs },
  });

  const listener = listenerOf(cell, { mountPath, behindProxy });
  const { port, stop } = await startHost(
    { ...cell, parser: 'none', reach: 'unread', mountPath, listener },
    auth,
    options.port,
  );
  return {
    cell,
    url: `http://127.0.0.1:${port}${mountPath}`,
    port,
    auth,
    users,
    clock,
    cellStorage,
    events,
    transcript,
    async send(request) {
      const response = await sendRequest(port, { ...request, path: mountPath + request.path });
      const [path = ''] = request.path.split('?', 1);
      // Responses of the host's own routes do not count, but rejections by `requireAuth` do.
      if (auth.http.owns(path) || [401, 403].includes(response.status)) transcript.push(response);
      return response;
    },
    clearTranscript: () => void transcript.splice(0),
    stop() {
      stop();
      cellStorage.close();
    },
  };
}

function listenerOf(
  { framework }: Cell,
  options: AppListenerOptions,
): (auth: Auth) => RequestListener {
  const create = framework === 'express' ? createExpressApp : createKoaApp;
  return (auth) => create(auth, options);
}

/** The types of the events so far that begin with `prefix`. */
export function eventTypesOf({ events }: TestApp, prefix: string): readonly string[] {
  return events.map(({ type }) => type).filter((type) => type.startsWith(prefix));
}
