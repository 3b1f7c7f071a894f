import { type Clock, monotonicMs } from '../../ports/clock.ts';
import type { InstanceLifetime, StoreInstance, StoreStartup } from '../startup.ts';

interface KnownInstance {
  readonly configuration: string;
  readonly endsAtMs: number;
}

/** A store in this process: it is always there, and those that use it are the apps of this process. */
export class MemoryStartup implements StoreStartup {
  readonly #clock: Clock;
  readonly #instances = new Map<string, KnownInstance>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async ping(): Promise<void> {}

  async findings(): Promise<readonly []> {
    return [];
  }

  async join({
    instanceId,
    configuration,
    ttlMs,
  }: StoreInstance & InstanceLifetime): Promise<readonly string[]> {
    const nowMs = monotonicMs(this.#clock);
    for (const [id, { endsAtMs }] of this.#instances) {
      if (endsAtMs <= nowMs) this.#instances.delete(id);
    }
    this.#instances.delete(instanceId);
    const others = Array.from(this.#instances.values(), (other) => other.configuration);
    this.#instances.set(instanceId, { configuration, endsAtMs: nowMs + ttlMs });
    return others;
  }

  async leave(instanceId: string): Promise<void> {
    this.#instances.delete(instanceId);
  }
}
