import { setTimeout as pause } from 'node:timers/promises';
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
import { pingStore, type UsedStore, usedStores } from './used-stores.ts';

/** Options of `auth.ready`. */
export interface ReadyOptions {
  /**
   * Whether to start although other processes differ in issuer, audience or keys: for the deployment that changes them
   * on purpose. Default: `false`.
   */
  readonly acceptDifferences?: boolean;
}

/** Whether an app can serve requests now. */
export interface Health {
  /** Whether everything below is `ok`. */
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
  /** Loads the modules that requests need and that are not loaded at start. */
  readonly loadModules: () => Promise<unknown>;
  /** Computes one hash; rejects if that fails. `undefined`: the host verifies passwords. */
  readonly hashOnce: (() => Promise<unknown>) | undefined;
  /** The host's own, unguarded, so that findings have the message of the driver. */
  readonly users: Pick<AnyUserStore, 'findByUsername'>;
  /** The host's own, unguarded, so that findings have the message of the driver. */
  readonly storage: Storage;
  /** The parts of the storage that the app uses. */
  readonly parts: readonly StorageName[];
  readonly encrypted: EncryptedKinds;
  readonly configuration: InstanceConfiguration;
  readonly assertSigningKey: () => unknown;
}

/** The timeout of a check, ms: an adapter of the host's may have none of its own. */
const CHECK_TIMEOUT_MS = 2_000;
/** A process that starts is busy, and so may be others that start with it: a check that fails is repeated. */
const ATTEMPTS = 3;
const PAUSE_MS = 250;
/** The timeout of the health check, ms. */
const HEALTH_MS = 1_000;

export function createReadiness(deps: ReadinessDeps): Readiness {
  const { storage, configuration } = deps;
  const stores = usedStores(storage, deps.parts);
  const startup = originOf(storage.sessions)?.startup;
  const presence = startup && createPresence(startup);

  async function storeFindings(store: UsedStore): Promise<readonly ReadinessFinding[]> {
    const asking = store.startup?.findings(store.parts) ?? pingStore(store, storage);
    const found = await withinMs(
      CHECK_TIMEOUT_MS,
      Promise.resolve(asking),
      `the storage ${store.name}`,
    );
    return (found ?? []).map((each) => ({ part: 'storage', ...each }));
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
    return [...encrypted.flatMap((found) => found ?? []), ...differences];
  }

  return {
    async ready(options = {}) {
      // Before the other checks, which would time out while the process is busy loading.
      const modules = await check('modules', 'module_missing', async () => {
        await deps.loadModules();
        return [];
      });
      const found = await Promise.all([
        modules,
        check('passwords', 'argon2_unavailable', async () => {
          await deps.hashOnce?.();
          return [];
        }),
        check('users', 'users_unavailable', async () => {
          const nobody = `${randomId().toLowerCase()}@latchhook.invalid`;
          const lookUp = Promise.resolve(deps.users.findByUsername(nobody));
          await withinMs(CHECK_TIMEOUT_MS, lookUp, 'the users table');
          return [];
        }),
        ...stores.map((store) =>
          check('storage', 'storage_unavailable', () => storeFindings(store)),
        ),
      ]);
      const findings = found.flat();
      // A store that is down or not migrated need not be asked for what processes share.
      const isUsable = findings.every(({ part }) => part !== 'storage');
      const shared = isUsable
        ? await check('storage', 'storage_unavailable', () =>
            withinMs(CHECK_TIMEOUT_MS, sharedFindings(options), 'the storage'),
          )
        : [];
      const all = [...findings, ...shared];
      if (all.length === 0) return;
      await presence?.leave();
      throw new NotReadyError(all);
    },

    async health() {
      const pings = stores.map((store) => pingStore(store, storage));
      const isThere = await withinMs(HEALTH_MS, Promise.all(pings), 'the storage').then(
        () => true,
        () => false,
      );
      const canSign = doesNotThrow(deps.assertSigningKey);
      return {
        ok: isThere && canSign,
        storage: isThere ? 'ok' : 'unavailable',
        signingKey: canSign ? 'ok' : 'retired',
      };
    },

    async close() {
      await withinMs(HEALTH_MS, presence?.leave() ?? Promise.resolve(), 'the storage').catch(
        () => {},
      );
    },
  };
}

/** Rejects if an adapter of the host's takes longer than `ms`. The work itself goes on. */
function withinMs<Result>(ms: number, work: Promise<Result>, what: string): Promise<Result> {
  return new CallDeadline(what, ms).bound(work);
}

/** The findings of a check, or that it failed each time. */
async function check(
  part: ReadinessPart,
  code: string,
  find: () => Promise<readonly ReadinessFinding[]>,
  attempts = ATTEMPTS,
): Promise<readonly ReadinessFinding[]> {
  try {
    return await find();
  } catch (error) {
    if (attempts <= 1) return [{ part, code, message: ADVICE[part] + messageOf(error) }];
    await pause(PAUSE_MS);
    return check(part, code, find, attempts - 1);
  }
}

const ADVICE: Readonly<Record<ReadinessPart, string>> = {
  modules:
    'a module cannot be loaded. If the app is bundled, leave the packages of Latchhook and their dependencies out of the bundle: ',
  passwords: 'no password can be hashed: ',
  users: 'the users table cannot be asked for a login name: ',
  storage: '',
  keys: '',
  instances: '',
};

function messageOf(error: unknown): string {
  // An `AuthError` says only that something failed; its cause says what.
  const shown = error instanceof AuthError && error.cause ? error.cause : error;
  return shown instanceof Error ? shown.message : 'something that is no Error was thrown';
}

function doesNotThrow(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}
