import { setTimeout as pause } from 'node:timers/promises';
import { assertNames, type NamesOf } from '../assert-names.ts';
import { AuthError } from '../errors.ts';
import type { EncryptedKinds } from '../keys/key-control.ts';
import { randomId } from '../random-id.ts';
import { CallDeadline } from '../storage/remote/call-deadline.ts';
import type { Storage, StorageName } from '../storage/storage.ts';
import { originOf } from '../storage/store-origin.ts';
import type { AnyUserStore } from '../users/users.ts';
import { encryptedFindings } from './encrypted-findings.ts';
import { configurationFindings, type InstanceConfiguration } from './instance-configuration.ts';
import { NotReadyError, type ReadinessFinding, type ReadinessPart } from './not-ready-error.ts';
import { createPresence } from './presence.ts';
import { groupByStore, pingStore, type UsedStore } from './used-stores.ts';

/** Options of `auth.ready`. */
export interface ReadyOptions {
  /**
   * Whether to start although other processes have another issuer, audience or keys: for a deployment that changes them
   * on purpose. Default: `false`.
   */
  readonly acceptDifferences?: boolean;
}

/** Whether an app can serve requests now. */
export interface Health {
  /** Whether all other properties are `ok`. */
  readonly ok: boolean;
  /** Whether every store of the storage answers. */
  readonly storage: 'ok' | 'unavailable';
  /** Whether a key may sign access tokens now, by its dates. */
  readonly signingKey: 'ok' | 'retired';
}

export interface Readiness {
  ready(options?: ReadyOptions): Promise<void>;
  health(): Promise<Health>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface ReadinessDeps {
  /** Loads the lazy modules that requests need. */
  readonly loadModules: () => Promise<unknown>;
  /** Computes a password hash, to show that this works. `undefined`: the host verifies passwords. */
  readonly hashOnce: (() => Promise<unknown>) | undefined;
  /** The host's object without call guards, so that findings have the message of the driver. */
  readonly users: Pick<AnyUserStore, 'findByUsername'>;
  /** The host's object without call guards, so that findings have the message of the driver. */
  readonly storage: Storage;
  /** The parts of the storage that the app uses. */
  readonly parts: readonly StorageName[];
  readonly encrypted: EncryptedKinds;
  readonly configuration: InstanceConfiguration;
  readonly assertSigningKey: () => unknown;
}

const NAMES: NamesOf<ReadyOptions> = { acceptDifferences: true };

/** The timeout of a check, ms: the host's adapters may have no timeout. */
const CHECK_TIMEOUT_MS = 2_000;
/** A failed check is repeated, because processes that start are busy. */
const ATTEMPTS = 3;
const PAUSE_MS = 250;
/** The timeout of the health check, ms. */
const HEALTH_TIMEOUT_MS = 1_000;

export function createReadiness(deps: ReadinessDeps): Readiness {
  const { storage, configuration } = deps;
  const stores = groupByStore(storage, deps.parts);
  const startup = originOf(storage.sessions)?.startup;
  const presence = startup && createPresence(startup);

  async function storeFindings(store: UsedStore): Promise<readonly ReadinessFinding[]> {
    const check = store.startup?.findings(store.parts) ?? pingStore(store, storage);
    const findings = await withinMs(
      CHECK_TIMEOUT_MS,
      Promise.resolve(check),
      `the storage ${store.name}`,
    );
    return (findings ?? []).map((finding) => ({ part: 'storage', ...finding }));
  }

  async function sharedFindings({
    acceptDifferences = false,
  }: ReadyOptions): Promise<readonly ReadinessFinding[]> {
    const { factors, webhookSecrets } = deps.encrypted;
    const encrypted = await Promise.all([
      factors && encryptedFindings('second factors', factors),
      webhookSecrets && encryptedFindings('secrets of webhooks', webhookSecrets),
    ]);
    const others = (await presence?.join(JSON.stringify(configuration))) ?? [];
    const differences = acceptDifferences ? [] : configurationFindings(configuration, others);
    return [...encrypted.flatMap((findings) => findings ?? []), ...differences];
  }

  return {
    async ready(options = {}) {
      assertNames('auth.ready', 'options_invalid', options, NAMES);
      // Before the other checks, which would time out while the process is busy loading.
      const moduleFindings = await check('modules', 'module_missing', async () => {
        await deps.loadModules();
        return [];
      });
      const otherFindings = await Promise.all([
        check('passwords', 'argon2_unavailable', async () => {
          await deps.hashOnce?.();
          return [];
        }),
        check('users', 'users_unavailable', async () => {
          const unknownName = `${randomId().toLowerCase()}@latchhook.invalid`;
          const lookUp = Promise.resolve(deps.users.findByUsername(unknownName));
          await withinMs(CHECK_TIMEOUT_MS, lookUp, 'the users table');
          return [];
        }),
        ...stores.map((store) =>
          check('storage', 'storage_unavailable', () => storeFindings(store)),
        ),
      ]);
      const findings = [...moduleFindings, ...otherFindings.flat()];
      // The data that processes share cannot be read from a store that is down or not migrated.
      if (findings.every(({ part }) => part !== 'storage')) {
        const shared = await check('storage', 'storage_unavailable', () =>
          withinMs(CHECK_TIMEOUT_MS, sharedFindings(options), 'the storage'),
        );
        findings.push(...shared);
      }
      if (findings.length === 0) return;
      await presence?.leave();
      throw new NotReadyError(findings);
    },

    async health() {
      const pings = stores.map((store) => pingStore(store, storage));
      const isAvailable = await withinMs(HEALTH_TIMEOUT_MS, Promise.all(pings), 'the storage').then(
        () => true,
        () => false,
      );
      const canSign = doesNotThrow(deps.assertSigningKey);
      return {
        ok: isAvailable && canSign,
        storage: isAvailable ? 'ok' : 'unavailable',
        signingKey: canSign ? 'ok' : 'retired',
      };
    },

    async close() {
      await withinMs(
        HEALTH_TIMEOUT_MS,
        presence?.leave() ?? Promise.resolve(),
        'the storage',
      ).catch(() => {});
    },
  };
}

/** Rejects if the work takes longer than `ms`. The work itself goes on. */
function withinMs<Result>(ms: number, work: Promise<Result>, what: string): Promise<Result> {
  return new CallDeadline(what, ms).bound(work);
}

/** How the finding of a part begins, before the message of the error. */
const PROBLEMS: Readonly<Record<ReadinessPart, string>> = {
  modules:
    'a module cannot be loaded. If the app is bundled, leave the packages of Latchhook and their dependencies out of the bundle: ',
  passwords: 'no password can be hashed: ',
  users: 'the users table cannot be asked for a login name: ',
  storage: '',
  keys: '',
  instances: '',
};

/** Runs a check, again if it rejects. If the last attempt rejects too, the only finding is its error. */
async function check(
  part: ReadinessPart,
  code: string,
  runCheck: () => Promise<readonly ReadinessFinding[]>,
  attempts = ATTEMPTS,
): Promise<readonly ReadinessFinding[]> {
  try {
    return await runCheck();
  } catch (error) {
    if (attempts <= 1) return [{ part, code, message: PROBLEMS[part] + messageOf(error) }];
    await pause(PAUSE_MS);
    return check(part, code, runCheck, attempts - 1);
  }
}

function messageOf(error: unknown): string {
  // The message of an `AuthError` is for clients; its cause has the message for the host.
  const cause = error instanceof AuthError && error.cause ? error.cause : error;
  return cause instanceof Error ? cause.message : 'something that is no Error was thrown';
}

function doesNotThrow(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}
