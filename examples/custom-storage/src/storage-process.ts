import type { LimiterOptions, Storage } from '@latchhook/core/storage';
import { openSqliteStorage } from './sqlite-storage.ts';

/** A call of a storage, to be made by another process. */
export interface RemoteCall {
  readonly callId: number;
  readonly file: string;
  /** What the clock of the storage reads. */
  readonly nowMs: number;
  readonly store: 'sessions' | 'challenges' | LimiterOptions;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What came of a {@link RemoteCall}. */
export interface RemoteAnswer {
  readonly callId: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface Opened {
  readonly storage: Promise<Storage>;
  nowMs: number;
}

const opened = new Map<string, Opened>();

process.on('message', async (call: RemoteCall) => {
  process.send?.(await answerOf(call));
});

async function answerOf(call: RemoteCall): Promise<RemoteAnswer> {
  const { callId, method, args } = call;
  try {
    const store = storeOf(await storageOf(call), call.store);
    return { callId, value: await Reflect.apply(Reflect.get(store, method), store, args) };
  } catch (error) {
    return { callId, error: String(error) };
  }
}

function storageOf({ file, nowMs }: RemoteCall): Promise<Storage> {
  const known = opened.get(file);
  if (known !== undefined) {
    known.nowMs = Math.max(known.nowMs, nowMs);
    return known.storage;
  }
  const clock = { nowMs: () => opened.get(file)?.nowMs ?? nowMs };
  const storage = openSqliteStorage({ file, clock, synchronous: 'NORMAL' });
  opened.set(file, { storage, nowMs });
  return storage;
}

function storeOf(storage: Storage, store: RemoteCall['store']): object {
  if (typeof store === 'string') return storage[store];
  const limiter = storage.limiters?.(store);
  if (limiter === undefined) throw new Error(`${storage.name} has no limiters`);
  return limiter;
}
